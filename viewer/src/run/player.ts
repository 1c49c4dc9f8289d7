// Time: a slider, play and pause, how fast. One moment for everything that listens.
import { h } from "../dom";
import { number } from "../format";

export interface Mark {
  time: number;
  label: string;
  tone: string;
}

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Player {
  readonly element: HTMLElement;
  time: number;
  playing = false;
  stopped: () => void = () => {}; // called when it stops
  private readonly slider: HTMLInputElement;
  private readonly button: HTMLButtonElement;
  private readonly clock: HTMLElement;
  private readonly rate: HTMLSelectElement;
  private last = 0;
  private readonly listeners: ((time: number) => void)[] = [];

  constructor(
    readonly times: ArrayLike<number>,
    marks: Mark[] = [],
    strips: Element[] = [], // of things over the same time, below the slider
  ) {
    this.time = times[0];
    this.slider = h("input", {
      type: "range",
      class: "time",
      min: 0,
      max: 1,
      step: "any",
      value: 0,
      "aria-label": "Time",
      input: () => this.seek(times[0] + this.span() * Number(this.slider.value)),
      keydown: (event) => this.sliderKey(event as KeyboardEvent),
    });
    this.button = h("button", { class: "play", type: "button", click: () => this.toggle() });
    this.clock = h("output", { class: "clock", "aria-live": "off" });
    this.rate = h(
      "select",
      { "aria-label": "Speed of playback" },
      ...SPEEDS.map((s) => h("option", { value: s, selected: s === this.naturalSpeed() }, `${number(s)} ×`)),
    );
    const step = (by: number, name: string, sign: string) =>
      h("button", { type: "button", "aria-label": name, title: name, click: () => this.step(by) }, sign);
    this.element = h(
      "div",
      { class: "player" },
      this.button,
      step(-1, "One state back", "‹"),
      step(1, "One state on", "›"),
      h("div", { class: "track" }, this.slider, this.markLine(marks), h("div", { class: "strips" }, ...strips)),
      this.clock,
      h("label", { class: "rate" }, this.rate),
    );
    this.showButton();
    this.showTime();
  }

  listen(listener: (time: number) => void) {
    this.listeners.push(listener);
  }

  // Real time, unless that is over at once or takes minutes.
  private naturalSpeed(): number {
    const span = this.span();
    const wanted = span < 2 ? span / 4 : span > 40 ? span / 30 : 1;
    return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
  }

  private markLine(marks: Mark[]): HTMLElement {
    const first = this.times[0];
    const span = this.span() || 1;
    return h(
      "div",
      { class: "marks", "aria-hidden": "true" },
      ...marks.map((mark) =>
        h("i", {
          class: mark.tone,
          title: mark.label,
          style: `left:${(100 * (mark.time - first)) / span}%`,
        }),
      ),
    );
  }

  private span(): number {
    return this.times[this.times.length - 1] - this.times[0];
  }

  // A place counts states: 2.5 is half-way between the states 2 and 3.
  private timeAt(place: number): number {
    const k = Math.min(this.times.length - 1, Math.max(0, Math.floor(place)));
    const next = Math.min(this.times.length - 1, k + 1);
    return this.times[k] + (this.times[next] - this.times[k]) * (place - k);
  }

  private placeOf(time: number): number {
    let k = 0;
    while (k + 2 < this.times.length && this.times[k + 1] <= time) k++;
    const span = this.times[k + 1] - this.times[k];
    return span > 0 ? k + Math.min(1, Math.max(0, (time - this.times[k]) / span)) : k;
  }

  seek(time: number) {
    const last = this.times[this.times.length - 1];
    this.time = Math.min(last, Math.max(this.times[0], time));
    this.slider.value = String((this.time - this.times[0]) / (this.span() || 1));
    this.showTime();
    for (const listener of this.listeners) listener(this.time);
  }

  step(by: number) {
    this.pause();
    const place = this.placeOf(this.time);
    const next = by > 0 ? Math.floor(place + 1e-6) + by : Math.ceil(place - 1e-6) + by;
    this.seek(this.timeAt(Math.min(this.times.length - 1, Math.max(0, next))));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.time >= this.times[this.times.length - 1]) this.seek(this.times[0]);
    this.playing = true;
    this.last = performance.now();
    this.showButton();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    const was = this.playing;
    this.playing = false;
    this.showButton();
    if (was) this.stopped();
  }

  private tick(now: number) {
    if (!this.playing) return;
    const passed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    this.seek(this.time + passed * Number(this.rate.value));
    if (this.time >= this.times[this.times.length - 1]) this.pause();
    else requestAnimationFrame((next) => this.tick(next));
  }

  private sliderKey(event: KeyboardEvent) {
    const by = ({ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 } as Record<string, number>)[event.key];
    if (by) this.step(by);
    else if (event.key === "Home") this.seek(this.times[0]);
    else if (event.key === "End") this.seek(this.times[this.times.length - 1]);
    else if (event.key === " ") this.toggle();
    else return;
    event.preventDefault();
  }

  private showButton() {
    const name = this.playing ? "Pause" : "Play";
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", name);
    this.button.title = `${name} (space)`;
  }

  private showTime() {
    const text = `${number(this.time, 4)} s`;
    this.clock.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
  }
}
