// A certificate of existence, or of none: the verdict, the margin, the jamming mode drawn.
import { details, facts, h, said, verdict, type Tone } from "../dom";
import { number, seconds } from "../format";
import { plain, type Fields } from "./results";
import { glyphs } from "./states";

const tones: Record<string, Tone> = { exists: "good", none: "bad", undecided: "warn" };
const sentences: Record<string, string> = {
  exists: "A solution exists.",
  none: "There is no solution, and that is proved.",
  undecided: "What was computed does not decide whether there is a solution.",
};

export function showCertificate(r: Fields): HTMLElement[] {
  const v = String(r.verdict);
  return [
    verdict(tones[v] ?? "plain", v, sentences[v] ?? "", " Reason: ", said(r.reason), "."),
    facts([
      ["margin of criterion (A)", number(r.margin, 4)],
      ["criterion (A)", said(r.criterion_A)],
      ["for every w", r.for_every_w ? "yes" : "no"],
      ["contacts", number(r.contacts)],
      ["time", seconds(r.time_s)],
    ]),
    ...jamming(r),
    details("Checks and residuals", plain((r.residuals ?? {}) as Fields), plain((r.check ?? {}) as Fields)),
    details("All fields", plain(r)),
  ];
}

function jamming(r: Fields): HTMLElement[] {
  const j = r.jamming as Fields | null | undefined;
  const contacts = (j?.contacts ?? []) as number[];
  const impulse = (j?.impulse ?? []) as number[];
  if (!contacts.length || !impulse.length) return [];
  const dim = Number(r.dim);
  const chosen = contacts.flatMap((c) => impulse.slice(dim * c, dim * (c + 1)));
  const picture = glyphs(dim, contacts.map(() => "jams"), chosen, []);
  Array.from(picture.querySelectorAll("figcaption")).forEach((caption, k) => {
    caption.textContent = `contact ${contacts[k]}`;
  });
  return [
    h("h3", {}, "The jamming mode"),
    h(
      "p",
      {},
      `Impulses at ${contacts.length} contacts that balance each other and do the work ${number(j?.work, 3)} against the imposed motion: ` +
        "a negative number means that the contacts are driven into each other.",
    ),
    picture,
  ];
}
