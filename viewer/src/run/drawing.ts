// Lines for drawings, and what is typical of many numbers.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from "three";

export function median(x: number[]): number {
  const sorted = [...x].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}

export function lineMaterial() {
  return new LineBasicMaterial({ color: "#7c8794", transparent: true, opacity: 0.7 });
}

export function lines(points: number[], opacity = 0.7): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  const made = new LineSegments(geometry, lineMaterial());
  made.material.opacity = opacity;
  return made;
}

// 1, 2 or 5 times a power of ten.
export function roundLength(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}

export function circles(radius: number, half: number): LineSegments {
  const points: number[] = [];
  const sides = 96;
  for (const z of half ? [-half, half] : [0])
    for (let k = 0; k < sides; k++)
      for (const at of [k, k + 1]) {
        const angle = (2 * Math.PI * at) / sides;
        points.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
      }
  return lines(points);
}
