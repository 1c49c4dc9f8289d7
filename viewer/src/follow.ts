// A page that came from `stickslip serve`, of a run that is going on: asks from time to time whether there is more, and
// shows it in place of what there was. What the reader has chosen stays.
import { h } from "./dom";

const EVERY = 2000; // milliseconds between two questions, at least

// renew: shows the newer page; whether there is still more to come.
export function follow(status: HTMLElement, renew: (newer: Document) => boolean) {
  let version: string | null = null;
  const say = (tone: string, word: string, text: string) =>
    status.replaceChildren(h("span", { class: `chip ${tone}` }, word), ` ${text}`);
  const look = async () => {
    const begin = performance.now();
    let more = true;
    try {
      const head = await fetch(location.href, { method: "HEAD", cache: "no-store" });
      const now = head.headers.get("ETag");
      if (version === null) version = now;
      if (head.ok && now !== version) {
        const answer = await fetch(location.href, { cache: "no-store" });
        if (answer.ok) {
          version = answer.headers.get("ETag");
          more = renew(new DOMParser().parseFromString(await answer.text(), "text/html"));
        }
      }
      if (more) say("good", "live", "The page follows the run.");
      else say("plain", "ended", "The run has ended.");
    } catch {
      say("warn", "cut off", "The server does not answer; the page shows what there was.");
    }
    if (more) setTimeout(look, Math.max(EVERY, 4 * (performance.now() - begin)));
  };
  say("good", "live", "The page follows the run.");
  setTimeout(look, EVERY);
}
