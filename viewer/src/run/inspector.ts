// The numbers of what is picked at the moment: a body, what it touches, what is fastened to it.
import { clean, facts, h, said, table, type Child } from "../dom";
import { number } from "../format";
import { stateNames } from "./colour";
import { linkText, nameOf, textOf } from "./names";
import type { Picks } from "./playback";
import type { Stage } from "./stage";
import type { States } from "./states";

const NOTHING = "Pick a body in the picture, or press N there, to see its numbers.";

export function showInspector(inspector: HTMLElement, stage: Stage, states: States, time: number, picks: Picks) {
  const body = stage.selected;
  if (body < 0) {
    if (inspector.textContent !== NOTHING) inspector.replaceChildren(NOTHING);
    return;
  }
  if (inspector.matches(":active")) return; // a button is held down: it must still be there when it is let go
  const { section, position } = states;
  // what has the focus keeps it when the numbers change
  const focused = inspector.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.key : null;
  const touching = contactRows(states, time, body, stage, picks);
  const fastened = linkRows(states, time, body, stage, picks);
  inspector.replaceChildren(
    h("h3", {}, nameOf(section, body), " ", button("deselect", "Deselect", "Deselect", () => picks.body(-1))),
    facts([
      ["position", [0, 1, 2].slice(0, section.dim).map((d) => number(position[3 * body + d], 4)).join(", ")],
      ["speed", number(states.speed[body], 3)],
      ["mass", number(section.mass[body], 4)],
      ["contact forces", number(stage.forceOf(body), 3)],
      ["status", stateNames[stage.statusOf(body)]],
    ]),
    touching.length
      ? table(["contact with", "normal", "friction", "state"], touching)
      : h("p", {}, "It touches nothing now."),
    ...(fastened.length ? [table(["joint or element", "force", "moment"], fastened)] : []),
  );
  if (focused) inspector.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
}

function button(key: string, text: Child, label: string, click: () => void, pressed?: boolean): HTMLElement {
  const made = h("button", { type: "button", class: "small", "data-key": key, "aria-label": clean(label), click }, text);
  if (pressed !== undefined) made.setAttribute("aria-pressed", String(pressed));
  return made;
}

// Points of contact with the same thing are one row.
function contactRows(states: States, time: number, body: number, stage: Stage, picks: Picks): Child[][] {
  const contacts = states.contactsAt(time);
  const others = new Set<number>();
  for (let k = 0; k < contacts.count; k++)
    if (contacts.a[k] === body) others.add(contacts.b[k]);
    else if (contacts.b[k] === body) others.add(contacts.a[k]);
  return [...others].map((other) => {
    const between = states.between(contacts, body, other);
    const plotted = stage.pair !== null && stage.pair.includes(body) && stage.pair.includes(other);
    const label = `Plot the contact with ${textOf(states.section, other)}`;
    const pick = () => picks.contact(plotted ? null : [body, other]);
    return [
      h("span", {}, button(`contact-${other}`, nameOf(states.section, other), label, pick, plotted), between.points > 1 ? ` ${between.points} points` : null),
      number(between.normal, 3),
      number(between.friction, 3),
      stateNames[between.state],
    ];
  });
}

function linkRows(states: States, time: number, body: number, stage: Stage, picks: Picks): Child[][] {
  const { links } = states.section;
  const loads = states.loadsAt(time);
  const rows: Child[][] = [];
  links.forEach((link, k) => {
    if (link.a[0] !== body && link.b[0] !== body) return;
    const bears = (which: number) => (states.section.links_measured ? number(loads[2 * k + which], 3) : "not recorded");
    rows.push([linkButton(states, k, picks, stage.link === k), bears(0), bears(1)]);
  });
  return rows;
}

// Its name, which plots what it bears.
export function linkButton(states: States, link: number, picks: Picks, plotted?: boolean): HTMLElement {
  const name = linkText(states.section, link);
  if (!states.section.links_measured) return said(name);
  return button(`link-${link}`, said(name), `Plot what ${name} bears`, () => picks.link(plotted ? -1 : link), plotted);
}
