// Bars between two points as ribbons that face the camera, shaded as if they were round. One mesh, without instances, as
// in spheres.ts.
import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, ShaderMaterial, type Color, type Vector3 } from "three";

const vertexShader = `
attribute vec3 other;
attribute float width;
attribute float side;
attribute vec3 tint;
varying vec3 vTint;
varying float vAcross;
void main() {
  vec3 here = (modelViewMatrix * vec4(position, 1.0)).xyz;
  vec3 there = (modelViewMatrix * vec4(other, 1.0)).xyz;
  vec3 across = cross(there - here, here + there);
  vAcross = side;
  vTint = tint;
  gl_Position = projectionMatrix * vec4(here + across / max(length(across), 1e-30) * side * width, 1.0);
}`;

const fragmentShader = `
varying vec3 vTint;
varying float vAcross;
void main() {
  gl_FragColor = vec4(vTint * (1.0 - 0.35 * vAcross * vAcross), 0.92);
  #include <colorspace_fragment>
}`;

export class Ribbons {
  readonly mesh: Mesh;
  private readonly here: BufferAttribute;
  private readonly other: BufferAttribute;
  private readonly width: BufferAttribute;
  private readonly tint: BufferAttribute;
  private used = 0;

  // most: how many there may be at once
  constructor(most: number) {
    const geometry = new BufferGeometry();
    const add = (name: string, size: number) => {
      const attribute = new BufferAttribute(new Float32Array(4 * most * size), size);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
      return attribute;
    };
    this.here = add("position", 3);
    this.other = add("other", 3);
    this.width = add("width", 1);
    this.tint = add("tint", 3);
    const side = add("side", 1).array;
    const index = new Uint32Array(6 * most);
    for (let k = 0; k < most; k++) {
      // seen from the other end, left is right
      side.set([-1, 1, -1, 1], 4 * k);
      index.set([0, 1, 2, 0, 2, 3].map((corner) => 4 * k + corner), 6 * k);
    }
    geometry.setIndex(new BufferAttribute(index, 1));
    const material = new ShaderMaterial({ vertexShader, fragmentShader, depthTest: false, depthWrite: false, transparent: true, side: DoubleSide });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
    this.mesh.visible = false;
  }

  begin() {
    this.used = 0;
  }

  // width: from the middle to either side
  add(from: Vector3, to: Vector3, width: number, colour: Color) {
    for (let corner = 0; corner < 4; corner++) {
      const at = 4 * this.used + corner;
      const [here, other] = corner < 2 ? [from, to] : [to, from];
      this.here.setXYZ(at, here.x, here.y, here.z);
      this.other.setXYZ(at, other.x, other.y, other.z);
      this.width.setX(at, width);
      this.tint.setXYZ(at, colour.r, colour.g, colour.b);
    }
    this.used++;
  }

  end() {
    this.mesh.geometry.setDrawRange(0, 6 * this.used);
    for (const attribute of [this.here, this.other, this.width, this.tint]) attribute.needsUpdate = true;
  }
}
