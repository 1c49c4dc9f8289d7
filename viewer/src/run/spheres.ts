// Balls as one triangle each that faces the camera, and in every pixel of it the ray meets the ball. Round at any
// distance, and cheap: 10,000 balls are 10,000 triangles. All are one mesh, without instances: a browser that draws with
// the processor (SwiftShader) begins anew for each instance, which costs ten times what the rest does. Two shades on the
// two halves show how a ball rolls.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, ShaderMaterial, Vector3 } from "three";

const vertexShader = `
attribute vec3 centre;
attribute float radius;
attribute vec4 turn;
attribute vec3 tint;
flat varying vec3 vCentre;
varying vec3 vRay;
flat varying vec3 vTint;
flat varying vec4 vTurn;
flat varying float vRadius;
void main() {
  vec3 c = (modelViewMatrix * vec4(centre, 1.0)).xyz;
  float d = length(c);
  vec3 forward = c / d;
  vec3 right = normalize(cross(forward, abs(forward.y) < 0.99 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
  vec3 up = cross(right, forward);
  float grown = radius * d / sqrt(max(d * d - radius * radius, 1e-4 * d * d)) * 1.02;
  vRay = c + (right * position.x + up * position.y) * grown;
  vCentre = c;
  vRadius = radius;
  vTint = tint;
  vTurn = turn;
  gl_Position = projectionMatrix * vec4(vRay, 1.0);
}`;

const fragmentShader = `
uniform vec3 key;
uniform vec3 sky;
flat varying vec3 vCentre;
varying vec3 vRay;
flat varying vec3 vTint;
flat varying vec4 vTurn;
flat varying float vRadius;
uniform mat4 projectionMatrix;
vec3 turnedBack(vec3 v, vec4 q) {
  vec3 t = 2.0 * cross(v, q.xyz);
  return v + q.w * t + cross(t, q.xyz);
}
void main() {
  vec3 ray = normalize(vRay);
  float along = dot(ray, vCentre);
  float inside = vRadius * vRadius - (dot(vCentre, vCentre) - along * along);
#ifdef SMOOTH
  float cover = clamp(inside / max(fwidth(inside), 1e-12) + 0.5, 0.0, 1.0);
#else
  float cover = step(0.0, inside);
#endif
  if (cover <= 0.0) discard;
  vec3 hit = ray * (along - sqrt(max(inside, 0.0)));
  vec3 normal = (hit - vCentre) / vRadius;
  vec3 world = (vec4(normal, 0.0) * viewMatrix).xyz;
  float half_ = turnedBack(world, vTurn).z;
  float shade = mix(0.8, 1.0, smoothstep(-0.03, 0.03, half_));
  float light = 0.42 + 0.22 * dot(world, sky) + 0.55 * max(dot(world, key), 0.0);
  float edge = 1.0 - max(dot(normal, -ray), 0.0);
  gl_FragColor = vec4(vTint * light * shade * (1.0 - 0.35 * edge * edge * edge), cover);
  vec4 clip = projectionMatrix * vec4(hit, 1.0);
  gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
  #include <colorspace_fragment>
}`;

// around the circle of radius 1
const CORNERS = [-Math.sqrt(3), -1, 0, Math.sqrt(3), -1, 0, 0, 2, 0];

export class Spheres {
  readonly mesh: Mesh;
  // of each ball three times, once for each corner
  private readonly centre: BufferAttribute;
  private readonly turn: BufferAttribute;
  private readonly tint: BufferAttribute;

  // radius of each; `up` and `key` are where light comes from
  constructor(
    readonly radius: Float32Array,
    up: Vector3,
    key: Vector3,
    smooth: boolean, // the picture is drawn with several samples a pixel
  ) {
    const n = radius.length;
    const geometry = new BufferGeometry();
    const add = (name: string, size: number) => {
      const attribute = new BufferAttribute(new Float32Array(3 * n * size), size);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
      return attribute;
    };
    this.centre = add("centre", 3);
    this.turn = add("turn", 4);
    this.tint = add("tint", 3);
    const corners = add("position", 3).array;
    const radii = add("radius", 1).array;
    for (let k = 0; k < n; k++) {
      corners.set(CORNERS, 9 * k);
      radii.fill(radius[k], 3 * k, 3 * k + 3);
    }
    const material = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      uniforms: { key: { value: key }, sky: { value: up } },
      defines: smooth ? { SMOOTH: "" } : {},
      alphaToCoverage: smooth,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  place(k: number, position: Float32Array, p: number, turn: Float32Array, t: number) {
    const c = this.centre.array;
    const q = this.turn.array;
    for (let corner = 3 * k; corner < 3 * k + 3; corner++) {
      for (let d = 0; d < 3; d++) c[3 * corner + d] = position[p + d];
      for (let d = 0; d < 4; d++) q[4 * corner + d] = turn[t + d];
    }
  }

  paint(k: number, r: number, g: number, b: number) {
    const c = this.tint.array;
    for (let at = 9 * k; at < 9 * k + 9; at += 3) {
      c[at] = r;
      c[at + 1] = g;
      c[at + 2] = b;
    }
  }

  moved() {
    this.centre.needsUpdate = this.turn.needsUpdate = true;
  }
  painted() {
    this.tint.needsUpdate = true;
  }

  // Distance along the ray to ball k, or Infinity.
  meets(k: number, from: Vector3, along: Vector3): number {
    const c = this.centre.array;
    const x = c[9 * k] - from.x;
    const y = c[9 * k + 1] - from.y;
    const z = c[9 * k + 2] - from.z;
    const reach = x * along.x + y * along.y + z * along.z;
    const inside = this.radius[k] ** 2 - (x * x + y * y + z * z - reach * reach);
    return reach > 0 && inside >= 0 ? reach - Math.sqrt(inside) : Infinity;
  }
}
