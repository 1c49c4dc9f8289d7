// What bodies, external objects, joints and elements are called.
import { said } from "../dom";
import type { SceneData } from "./states";

// Bodies, then external objects; below 0: the world.
export function textOf(s: SceneData, object: number): string {
  if (object < 0) return "the world";
  const bodies = s.names.length;
  if (object < bodies) return s.names[object] ?? `body ${object}`;
  return s.externals[object - bodies]?.name ?? `external object ${object - bodies}`;
}

export function nameOf(s: SceneData, object: number): Node {
  return object < 0 ? document.createTextNode(textOf(s, object)) : said(textOf(s, object));
}

export function linkText(s: SceneData, link: number): string {
  return s.links[link].name ?? `${s.links[link].kind} ${link}`;
}
