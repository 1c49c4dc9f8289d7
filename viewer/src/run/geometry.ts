// Shapes as geometries. Equal ones share a geometry and differ by a scale, so that each kind is drawn in one call.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Matrix4,
  Quaternion,
  Vector3,
} from "three";
import type { ShapeData } from "./states";

export interface Piece {
  key: string; // of the geometry; "sphere" is drawn by Spheres
  radius: number; // of a sphere
  local: Matrix4; // in the frame of the body, with the scale
}

export class Geometries {
  private readonly made = new Map<string, BufferGeometry>();
  private readonly edges = new Map<string, BufferGeometry>();

  // depth: how thick plane bodies are drawn
  constructor(
    readonly dim: number,
    readonly depth: number,
  ) {}

  get(key: string): BufferGeometry {
    return this.made.get(key)!;
  }

  edgesOf(key: string): BufferGeometry {
    let found = this.edges.get(key);
    if (!found) this.edges.set(key, (found = new EdgesGeometry(this.get(key), 25)));
    return found;
  }

  // Planes and drums are left out: they have no end.
  pieces(shape: ShapeData): Piece[] {
    if (shape.kind !== "compound") return this.piece(shape, new Matrix4());
    return (shape.parts ?? []).flatMap((part) => this.piece(part, poseMatrix(part.pose)));
  }

  private piece(shape: ShapeData, at: Matrix4): Piece[] {
    const radius = shape.radius ?? 0;
    const half = shape.half ?? [];
    const scaled = (key: string, x: number, y: number, z: number): Piece[] => [
      { key, radius, local: at.clone().multiply(new Matrix4().makeScale(x, y, z)) },
    ];
    switch (shape.kind) {
      case "sphere":
        if (this.dim === 3) return [{ key: "sphere", radius, local: at }];
        this.make("disk", () => new CylinderGeometry(1, 1, 1, 48).rotateX(Math.PI / 2));
        return scaled("disk", radius, radius, this.depth);
      case "box":
        this.make("box", () => new BoxGeometry(2, 2, 2));
        return scaled("box", half[0], half[1], this.dim === 2 ? this.depth / 2 : half[2]);
      case "cylinder":
        this.make("cylinder", () => new CylinderGeometry(1, 1, 2, 40).rotateX(Math.PI / 2));
        return scaled("cylinder", radius, radius, half[0]);
      case "capsule":
        return this.capsule(radius, half[0], at);
      case "hull":
        return this.hull(shape, at);
      default:
        return [];
    }
  }

  private capsule(radius: number, half: number, at: Matrix4): Piece[] {
    const key = `capsule ${half / radius}`;
    const plane = this.dim === 2;
    this.make(key, () => {
      const g = new CapsuleGeometry(1, (2 * half) / radius, 10, 24);
      return plane ? g.rotateZ(Math.PI / 2) : g.rotateX(Math.PI / 2);
    });
    const flat = plane ? this.depth / 2 : radius;
    return [{ key, radius, local: at.clone().multiply(new Matrix4().makeScale(radius, radius, flat)) }];
  }

  private hull(shape: ShapeData, at: Matrix4): Piece[] {
    const key = "hull " + (shape.corners ?? []).map((x) => x.toPrecision(7)).join(" ");
    this.make(key, () => hullGeometry(shape, this.dim === 2 ? this.depth : 0));
    return [{ key, radius: 0, local: at }];
  }

  private make(key: string, maker: () => BufferGeometry) {
    if (!this.made.has(key)) this.made.set(key, maker());
  }
}

export function poseMatrix(pose: number[]): Matrix4 {
  return new Matrix4().compose(
    new Vector3(pose[0], pose[1], pose[2]),
    new Quaternion(pose[4], pose[5], pose[6], pose[3]),
    new Vector3(1, 1, 1),
  );
}

// Faces as fans; a polygon of the plane gets this thickness.
function hullGeometry(shape: ShapeData, thickness: number): BufferGeometry {
  const corners = shape.corners ?? [];
  const at = (k: number, z = 0) => [corners[3 * k], corners[3 * k + 1], corners[3 * k + 2] + z];
  const points: number[] = [];
  const fan = (loop: number[][]) => {
    for (let k = 1; k + 1 < loop.length; k++) points.push(...loop[0], ...loop[k], ...loop[k + 1]);
  };
  for (const face of shape.faces ?? []) {
    if (thickness === 0) {
      fan(face.map((k) => at(k)));
      continue;
    }
    const near = face.map((k) => at(k, thickness / 2));
    const far = face.map((k) => at(k, -thickness / 2));
    fan(near);
    fan([...far].reverse());
    near.forEach((p, k) => {
      const next = (k + 1) % near.length;
      fan([far[k], far[next], near[next], p]);
    });
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.computeVertexNormals(); // corners are not shared: faces stay flat
  return geometry;
}

// Half the thickness of a body, about: the geometric mean of its half lengths.
export function girth(shape: ShapeData): number {
  const half = shape.half ?? [];
  const radius = shape.radius ?? 0;
  if (shape.kind === "compound") return Math.min(...(shape.parts ?? []).map(girth), Infinity);
  if (shape.kind === "box") return Math.cbrt(half[0] * half[1] * half[2]);
  if (shape.kind !== "hull") return radius;
  const corners = shape.corners ?? [];
  const span = [0, 1, 2].map((d) => {
    const x = corners.filter((_, k) => k % 3 === d);
    return (Math.max(...x) - Math.min(...x)) / 2;
  });
  return span[2] > 0 ? Math.cbrt(span[0] * span[1] * span[2]) : Math.sqrt(span[0] * span[1]);
}
