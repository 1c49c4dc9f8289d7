// External objects: planes and drums cut down to what matters, solids that let the bodies be seen through them.
import {
  BackSide,
  Box3,
  BufferGeometry,
  CylinderGeometry,
  FrontSide,
  Group,
  LineSegments,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  PlaneGeometry,
  RingGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import { circles, lineMaterial, lines, roundLength } from "./drawing";
import type { Geometries } from "./geometry";
import type { ShapeData } from "./states";
import { gridLines, outline, polygonGeometry, wallPolygon } from "./walls";

export interface Surroundings {
  dim: number;
  box: Box3; // where bodies are
  size: number; // of it
  up: Vector3;
}

// A shape, or a part of one, at this pose of the start; `others` are the poses of the other planes.
export function outsidePart(
  shape: ShapeData,
  pose: Matrix4,
  others: Matrix4[],
  geometries: Geometries,
  around: Surroundings,
): Group {
  return endless(shape, pose, others, around) ?? solid(geometries, shape);
}

function wall(): MeshLambertMaterial {
  return new MeshLambertMaterial({
    color: "#9fb0c2",
    transparent: true,
    opacity: 0.2,
    depthWrite: false,
    side: FrontSide,
  });
}

function endless(shape: ShapeData, pose: Matrix4, others: Matrix4[], around: Surroundings): Group | null {
  const plane = around.dim === 2;
  const group = new Group();
  if (shape.kind === "plane" && plane) {
    const wide = 1.2 * around.size;
    const ground = new Mesh(new PlaneGeometry(2 * wide, wide / 4), wall());
    ground.position.y = -wide / 8;
    group.add(ground, lines([-wide, 0, 0, wide, 0, 0]));
    return group;
  }
  if (shape.kind === "plane") {
    const polygon = wallPolygon(pose, others, around.box, around.size);
    const floor = new Vector3(0, 0, 1).transformDirection(pose).dot(around.up) > 0.9;
    group.add(new Mesh(polygonGeometry(polygon), wall()), lines(outline(polygon), 0.45));
    if (floor) group.add(lines(gridLines(polygon, roundLength(around.size / 12)), 0.3));
    return group;
  }
  if (shape.kind !== "drum") return null;
  const radius = shape.radius ?? 1;
  const half = plane ? 0 : shape.half?.[0] || 0.6 * around.size;
  if (plane) {
    group.add(new Mesh(new RingGeometry(radius, 1.08 * radius, 96), wall()));
  } else {
    const side = new Mesh(new CylinderGeometry(radius, radius, 2 * half, 64, 1, true), wall());
    side.geometry.rotateX(Math.PI / 2);
    (side.material as MeshLambertMaterial).side = BackSide;
    group.add(side);
  }
  group.add(circles(radius, half));
  return group;
}

function solid(geometries: Geometries, shape: ShapeData): Group {
  const group = new Group();
  for (const piece of geometries.pieces({ ...shape })) {
    const ball = piece.key === "sphere";
    const material = new MeshLambertMaterial({ color: "#aab6c3", transparent: true, opacity: 0.26, depthWrite: false });
    const mesh = new Mesh(ball ? new SphereGeometry(piece.radius, 32, 20) : geometries.get(piece.key), material);
    const edge = new LineSegments(ball ? new BufferGeometry() : geometries.edgesOf(piece.key), lineMaterial());
    mesh.applyMatrix4(piece.local);
    edge.applyMatrix4(piece.local);
    group.add(mesh, edge);
  }
  return group;
}
