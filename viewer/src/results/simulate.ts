// The summary that simulate prints: of rigid and elastic bodies and of mechanisms, with their events.
import { details, facts, h, said, table, verdict, type Child } from "../dom";
import { count, number, seconds } from "../format";
import { plain, type Fields } from "./results";
import { chip } from "./states";

export interface EventRow {
  time: number;
  contact: number;
  from: string;
  to: string;
  kind: string;
}

export function showSimulate(r: Fields): HTMLElement[] {
  const unsolved = Number(r.unsolved_steps ?? 0);
  const events = r.events as EventRow[] | undefined;
  const balance = (r.energy_balance ?? {}) as Fields;
  const ended = String(r.end ?? r.ended ?? "");
  return [
    unsolved > 0
      ? verdict("bad", "not solved", `${count(unsolved, "step")} of ${number(r.steps)} without an answer.`)
      : verdict(
          ["interrupted", "time_limit", "unsolved"].includes(ended) || r.status === "stopped" ? "warn" : "good",
          "simulated",
          `${number(r.time_simulated)} s in ${count(Number(r.steps), "step")}; it ended by `,
          said(ended.replace("_", " ")),
          ".",
        ),
    facts([
      ["contacts in a step", number(r.contacts_mean ?? r.contacts, 3)],
      ["largest error", number(r.error_max ?? r.violation, 2)],
      ["largest overlap", number(r.penetration_max, 3)],
      ["energy unexplained", number(balance.closure, 2)],
      ["time of computing", seconds(r.time_s)],
    ]),
    r.output ? h("p", { class: "note" }, "Its playback is made from ", said(r.output), ".") : h("span", {}),
    ...(events ? [h("h3", {}, count(events.length, "event")), eventTable(events)] : []),
    details("Energy balance", plain(balance)),
    details("All fields", plain(r)),
  ];
}

interface EventOptions {
  seek?: (time: number) => void; // a press on the time goes there
  contact?: (contact: number) => Child;
}

const MOST = 500;

export function eventTable(events: EventRow[], o: EventOptions = {}): HTMLElement {
  const when = (time: number): Child =>
    o.seek
      ? h("button", { type: "button", class: "small", "aria-label": `Go to ${number(time, 7)} s`, click: () => o.seek!(time) }, number(time, 7))
      : number(time, 7);
  const made = table(
    ["time", "contact", "what", "from", "to"],
    events.slice(0, MOST).map((e) => [when(e.time), o.contact?.(e.contact) ?? number(e.contact), said(e.kind), chip(e.from), chip(e.to)]),
  );
  return events.length <= MOST ? made : h("div", {}, h("p", { class: "note" }, `The first ${number(MOST)} of ${number(events.length)}.`), made);
}
