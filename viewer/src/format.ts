// Numbers for people.

const MINUS = "−";
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function raised(power: number): string {
  const digits = String(Math.abs(power)).replace(/\d/g, (d) => superscripts[Number(d)]);
  return (power < 0 ? "⁻" : "") + digits;
}

// About `digits` significant ones: 0.0123, 1 234, 3.1·10⁻⁹.
export function number(x: unknown, digits = 4): string {
  if (x === "inf" || x === Infinity) return "∞";
  if (x === "-inf" || x === -Infinity) return MINUS + "∞";
  if (typeof x !== "number" || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 && Number.isInteger(x) && size < 1e15) return grouped(x);
  if (size >= 1e6 || size < 1e-3) {
    let power = Math.floor(Math.log10(size));
    let mantissa = (x / 10 ** power).toPrecision(digits);
    if (Math.abs(Number(mantissa)) >= 10) {
      power += 1;
      mantissa = (x / 10 ** power).toPrecision(digits);
    }
    mantissa = trimmed(mantissa);
    const sign = mantissa.startsWith("-") ? MINUS : "";
    const bare = mantissa.replace("-", "");
    return sign + (bare === "1" ? "" : bare + "·") + "10" + raised(power);
  }
  if (Number.isInteger(x) || size >= 10 ** digits) return grouped(Math.round(x));
  return trimmed(x.toPrecision(digits)).replace("-", MINUS);
}

function trimmed(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

function grouped(x: number): string {
  const sign = x < 0 ? MINUS : "";
  return sign + String(Math.abs(x)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

export function count(n: number, one: string, many = one + "s"): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

export function seconds(s: unknown): string {
  if (typeof s !== "number" || !Number.isFinite(s)) return "–";
  if (s !== 0 && Math.abs(s) < 1e-3) return number(s * 1e6, 3) + " µs";
  if (s !== 0 && Math.abs(s) < 1) return number(s * 1e3, 3) + " ms";
  return number(s, 4) + " s";
}

export function percent(part: number): string {
  return number(100 * part, 3) + " %";
}

export function bytes(n: number): string {
  return n < 1e6 ? number(n / 1e3, 3) + " kB" : number(n / 1e6, 3) + " MB";
}

const greek: Record<string, string> = { mu: "μ", alpha: "α", beta: "β", gamma: "γ", theta: "θ", omega: "ω", lambda: "λ" };

// Names of parameters as people write them: tan_alpha is tan α.
export function symbol(name: string): string {
  return name
    .split("_")
    .map((word) => greek[word] ?? word)
    .join(" ");
}
