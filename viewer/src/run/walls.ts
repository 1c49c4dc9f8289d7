// Planes without end, cut down to what matters: the part around the bodies that no other plane hides. Four walls and a
// floor become a box.
import { Box3, BufferAttribute, BufferGeometry, Matrix4, Plane, Vector3 } from "three";

// The part of a convex polygon on the positive side.
function cut(polygon: Vector3[], plane: Plane): Vector3[] {
  const out: Vector3[] = [];
  polygon.forEach((p, k) => {
    const next = polygon[(k + 1) % polygon.length];
    const [here, there] = [plane.distanceToPoint(p), plane.distanceToPoint(next)];
    if (here >= 0) out.push(p);
    if (here * there < 0) out.push(p.clone().lerp(next, here / (here - there)));
  });
  return out;
}

function sidesOf(box: Box3): Plane[] {
  return [0, 1, 2].flatMap((axis) => {
    const normal = new Vector3().setComponent(axis, 1);
    return [
      new Plane(normal, -box.min.getComponent(axis)),
      new Plane(normal.clone().negate(), box.max.getComponent(axis)),
    ];
  });
}

// In the frame of the wall, whose free side is z > 0. `pose`: of the wall; `others`: of the other planes.
export function wallPolygon(pose: Matrix4, others: Matrix4[], box: Box3, size: number): Vector3[] {
  const far = 4 * size;
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ];
  const centre = box.getCenter(new Vector3());
  const wall = planeOf(pose);
  const middle = wall.projectPoint(centre, new Vector3());
  const back = pose.clone().invert();
  const local = middle.applyMatrix4(back);
  let polygon = corners.map(([x, y]) => new Vector3(local.x + far * x, local.y + far * y, 0).applyMatrix4(pose));
  const slack = 1e-6 * size;
  const room = box.clone().expandByScalar(0.18 * size);
  for (const side of sidesOf(room)) {
    if (Math.abs(side.normal.dot(wall.normal)) > 0.999) continue; // does not bound this wall
    polygon = cut(polygon, side);
  }
  for (const other of others) {
    const plane = planeOf(other);
    plane.constant += slack;
    const rest = cut(polygon, plane);
    if (rest.length > 2) polygon = rest;
  }
  return polygon.map((p) => p.applyMatrix4(back));
}

function planeOf(pose: Matrix4): Plane {
  const at = new Vector3().setFromMatrixPosition(pose);
  const normal = new Vector3(0, 0, 1).transformDirection(pose);
  return new Plane().setFromNormalAndCoplanarPoint(normal, at);
}

export function polygonGeometry(polygon: Vector3[]): BufferGeometry {
  const points: number[] = [];
  for (let k = 1; k + 1 < polygon.length; k++)
    for (const p of [polygon[0], polygon[k], polygon[k + 1]]) points.push(p.x, p.y, p.z);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.computeVertexNormals();
  return geometry;
}

export function outline(polygon: Vector3[]): number[] {
  return polygon.flatMap((p, k) => {
    const next = polygon[(k + 1) % polygon.length];
    return [p.x, p.y, p.z, next.x, next.y, next.z];
  });
}

// Lines `spacing` apart within the polygon, along both axes of its plane.
export function gridLines(polygon: Vector3[], spacing: number): number[] {
  const points: number[] = [];
  for (const axis of [0, 1] as const) {
    const across = polygon.map((p) => p.getComponent(axis));
    const first = Math.ceil(Math.min(...across) / spacing);
    const last = Math.floor(Math.max(...across) / spacing);
    for (let k = first; k <= last && last - first < 200; k++) {
      const ends = polygon.flatMap((p, i) => {
        const q = polygon[(i + 1) % polygon.length];
        const [a, b] = [p.getComponent(axis) - k * spacing, q.getComponent(axis) - k * spacing];
        return a * b < 0 || a === 0 ? [p.clone().lerp(q, a === b ? 0 : a / (a - b))] : [];
      });
      if (ends.length >= 2) points.push(ends[0].x, ends[0].y, 0, ends[1].x, ends[1].y, 0);
    }
  }
  return points;
}
