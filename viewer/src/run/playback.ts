// The scene in a picture that can be turned, with its time, its colours and what is picked in it.
import { h, said, type Child } from "../dom";
import { number } from "../format";
import { isDark, type PlotGroup } from "../plots";
import { materialColour, scaleGradient, stateColours, stateNames } from "./colour";
import { showPicked } from "./curves";
import { showInspector } from "./inspector";
import { nameOf } from "./names";
import type { Player } from "./player";
import { Stage, type ColourBy, type Look } from "./stage";
import type { SceneData, States } from "./states";

// What can be picked; the same again, or nothing, gives it up.
export interface Picks {
  body(body: number): void;
  contact(pair: [number, number] | null): void;
  link(link: number): void;
}

// What a reader has chosen, kept when the page learns more of the run.
export interface Chosen {
  time: number;
  atEnd: boolean;
  place: number[]; // of the camera
  colourBy: ColourBy;
  chains: boolean;
  body: number;
  pair: [number, number] | null;
  link: number;
}

export interface Playback {
  element: HTMLElement;
  picks: Picks;
  chosen(): Chosen | null; // null: there is no picture
  choose(c: Chosen): void;
  dispose(): void;
}

const nobody: Picks = { body: () => {}, contact: () => {}, link: () => {} };

export function playback(states: States, player: Player, group: PlotGroup, plots: HTMLElement): Playback {
  const canvas = h("canvas", {
    tabindex: 0,
    role: "img",
    "aria-label":
      "Playback of the bodies. Arrow keys turn the view, plus and minus change the distance, space plays, " +
      "N and P go from body to body.",
  });
  try {
    return new Picture(states, player, group, plots, canvas);
  } catch {
    const text = "The playback needs WebGL, which this browser does not offer. The curves below do not.";
    const element = h("p", { class: "missing" }, text);
    return { element, picks: nobody, chosen: () => null, choose: () => {}, dispose: () => {} };
  }
}

class Picture implements Playback {
  readonly element: HTMLElement;
  readonly picks: Picks;
  private readonly stage: Stage;
  private readonly look: Look = { colourBy: "speed", chains: false, dark: isDark() };
  private readonly tag = h("div", { class: "tag", hidden: true });
  private readonly legend = h("div", { class: "legend" });
  private readonly inspector = h("div", { class: "inspector", "aria-live": "polite" });
  private readonly colours: HTMLSelectElement;
  private readonly chains: HTMLInputElement;
  private due = false;
  private gone = false;
  private last = 0;
  private placed = false; // the camera

  constructor(
    private readonly states: States,
    private readonly player: Player,
    private readonly group: PlotGroup,
    private readonly plots: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.stage = new Stage(states, canvas);
    if (this.stage.stands) Object.assign(this.look, { colourBy: "force", chains: true });
    this.colours = this.colourChoice();
    this.chains = this.chainChoice();
    this.picks = {
      body: (body) => this.pick({ selected: body, pair: null }),
      contact: (pair) => this.pick({ pair }),
      link: (link) => this.pick({ link }),
    };
    this.element = h(
      "div",
      { class: "stage" },
      h("div", { class: this.stage.opaque ? "picture opaque" : "picture" }, canvas, this.tag, this.legend),
      player.element,
      this.tools(),
      this.inspector,
    );
    this.listen();
    if (this.stage.stands) player.seek(states.end); // at the start there may be no forces yet
    bindPicking(canvas, this.stage, this.picks.body);
    this.bindKeys();
  }

  private listen() {
    const { canvas, stage } = this;
    this.player.listen(() => this.redraw());
    this.player.stopped = () => this.redraw(); // once more, sharply
    stage.view.controls.addEventListener("change", () => this.redraw());
    new ResizeObserver(() => {
      if (this.gone || !canvas.clientWidth) return;
      stage.resize(canvas.clientWidth, canvas.clientHeight);
      if (!this.placed) stage.view.from("home");
      this.placed = true;
      this.redraw();
    }).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.look.dark = isDark();
      this.redraw();
    });
  }

  private redraw() {
    if (!this.due) requestAnimationFrame((now) => this.draw(now));
    this.due = true;
  }

  private draw(now: number) {
    this.due = false;
    if (this.gone) return;
    const { stage, player, states } = this;
    stage.pace(player.playing && this.last ? now - this.last : 0);
    this.last = player.playing ? now : 0;
    stage.show(player.time, this.look);
    stage.render();
    showLegend(this.legend, this.look, states.section, stage);
    this.showTag();
    showInspector(this.inspector, stage, states, player.time, this.picks);
  }

  private pick(what: Partial<Pick<Stage, "selected" | "pair" | "link">>) {
    const { stage } = this;
    Object.assign(stage, what);
    showPicked(this.plots, this.states, { body: stage.selected, pair: stage.pair, link: stage.link }, this.group);
    this.redraw();
  }

  // ---- choices ----------------------------------------------------------------------------------

  private colourChoice(): HTMLSelectElement {
    const names = ["speed", "force", "status", "material"] as const;
    const choose = h(
      "select",
      {
        change: () => {
          this.look.colourBy = choose.value as ColourBy;
          this.redraw();
        },
      },
      ...names.map((name) => h("option", { value: name, selected: name === this.look.colourBy }, name)),
    );
    return choose;
  }

  private chainChoice(): HTMLInputElement {
    const box = h("input", {
      type: "checkbox",
      checked: this.look.chains,
      change: () => {
        this.look.chains = box.checked;
        this.redraw();
      },
    });
    return box;
  }

  private tools(): HTMLElement {
    const view = (name: "home" | "top" | "side", text: string) =>
      h("button", { type: "button", click: () => (this.stage.view.from(name), this.redraw()) }, text);
    const flat = this.states.section.dim === 2;
    return h(
      "div",
      { class: "tools" },
      h("label", {}, "Colour ", this.colours),
      h("label", { class: "check" }, this.chains, " Force chains"),
      h("span", { class: "group" }, view("home", "Home"), !flat && view("top", "Top"), !flat && view("side", "Side")),
    );
  }

  chosen(): Chosen {
    const { stage, player, look } = this;
    return {
      time: player.time,
      atEnd: player.time >= this.states.end,
      place: stage.view.place,
      colourBy: look.colourBy,
      chains: look.chains,
      body: stage.selected,
      pair: stage.pair,
      link: stage.link,
    };
  }

  choose(c: Chosen) {
    this.colours.value = this.look.colourBy = c.colourBy;
    this.chains.checked = this.look.chains = c.chains;
    this.stage.view.place = c.place;
    this.placed = true;
    this.player.seek(c.atEnd ? this.states.end : c.time);
    this.pick({ selected: c.body, pair: c.pair, link: c.link });
  }

  dispose() {
    this.gone = true;
    this.player.pause();
    this.stage.dispose();
  }

  // ---- keys, and what is said in the picture ----------------------------------------------------

  private bindKeys() {
    const { stage, states, player } = this;
    const next = (by: number) => {
      const from = stage.selected + (stage.selected < 0 && by < 0 ? 1 : 0);
      this.picks.body((from + by + states.bodies) % states.bodies);
    };
    const actions: Record<string, () => void> = {
      ArrowLeft: () => stage.view.orbit(-0.1, 0),
      ArrowRight: () => stage.view.orbit(0.1, 0),
      ArrowUp: () => stage.view.orbit(0, -0.1),
      ArrowDown: () => stage.view.orbit(0, 0.1),
      "+": () => stage.view.approach(1 / 1.15),
      "=": () => stage.view.approach(1 / 1.15),
      "-": () => stage.view.approach(1.15),
      " ": () => player.toggle(),
      n: () => next(1),
      p: () => next(-1),
      Escape: () => this.picks.body(-1),
    };
    this.canvas.addEventListener("keydown", (event) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
      this.redraw();
    });
  }

  private showTag() {
    const { stage, tag, canvas } = this;
    tag.hidden = stage.selected < 0;
    if (tag.hidden) return;
    const at = stage.where(stage.selected);
    tag.replaceChildren(nameOf(this.states.section, stage.selected));
    tag.style.left = `${((at.x + 1) / 2) * canvas.clientWidth}px`;
    tag.style.top = `${((1 - at.y) / 2) * canvas.clientHeight}px`;
  }
}

function bindPicking(canvas: HTMLCanvasElement, stage: Stage, select: (body: number) => void) {
  let down = { x: 0, y: 0 };
  canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY }));
  canvas.addEventListener("pointerup", (e) => {
    if (Math.hypot(e.clientX - down.x, e.clientY - down.y) > 4) return; // the view was turned
    const box = canvas.getBoundingClientRect();
    select(stage.pick((2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height));
  });
}

function showLegend(legend: HTMLElement, look: Look, section: SceneData, stage: Stage) {
  const key = `${look.colourBy} ${look.chains} ${number(stage.forceScale, 2)}`;
  if (legend.dataset.key === key) return;
  legend.dataset.key = key;
  const ramp = (name: string, top: string, gradient = scaleGradient()) =>
    h("div", { class: "ramp" }, h("b", {}, name), "0", h("i", { style: `background:${gradient}` }), top);
  const swatch = (colour: string, name: Child) => h("span", { class: "swatch" }, h("i", { style: `background:${colour}` }), name);
  const rows: Child[] = [];
  if (look.colourBy === "speed") rows.push(ramp("speed", number(section.speed_max, 3), scaleGradient(2)));
  const forces = stage.forceScale > 0;
  if (look.colourBy === "force" && forces) rows.push(ramp("force on a body", number(3 * stage.forceScale, 3)));
  if (look.colourBy === "status")
    rows.push(...stateNames.map((name, k) => swatch(stateColours[k], name)));
  if (look.colourBy === "material")
    section.materials.forEach((name, k) => name && rows.push(swatch(materialColour(k), said(name))));
  if (look.chains && forces)
    rows.push(h("span", { class: "swatch" }, `thickest chain: ${number(stage.forceScale, 3)} or more`));
  if (!forces && (look.chains || look.colourBy === "force")) rows.push(h("span", {}, "no forces at this moment"));
  legend.replaceChildren(...(rows as Node[]));
}
