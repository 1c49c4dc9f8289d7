// Colours that carry numbers: one scale from blue through yellow to red, told apart by the colour-blind, and three
// colours for states.
import { Color } from "three";

const stops = ["#4a6fb0", "#3f97b5", "#7cc3a2", "#e0cc5c", "#e99f3c", "#d5502a"].map((c) => new Color(c));

export function scale(part: number, out: Color): Color {
  const at = Math.min(0.99999, Math.max(0, part || 0)) * (stops.length - 1);
  const k = Math.floor(at);
  return out.copy(stops[k]).lerp(stops[k + 1], at - k);
}

// The scale as the background of a legend; where colours go by the power 1/p of a number, each stands at its number.
export function scaleGradient(p = 1): string {
  const at = stops.map((c, k) => `#${c.getHexString()} ${100 * (k / (stops.length - 1)) ** p}%`);
  return `linear-gradient(to right, ${at.join(", ")})`;
}

export const PICKED = new Color("#ff3d9a");

export const stateNames = ["free", "stick", "slip"];
export const stateColours = ["#9aa3ad", "#2f7fc1", "#e0812b"];

const materials = ["#7d93a8", "#b58a6a", "#7fa37c", "#a487b5", "#b5a768", "#6f9fa6"];
export const materialColour = (material: number): string => materials[material % materials.length];

export const links: Record<string, string> = {
  spring: "#c2410c",
  damper: "#7c3aed",
  bushing: "#0f766e",
};
