// The scene in 3D: bodies, external objects, links and force chains at one moment.
import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  DynamicDrawUsage,
  Group,
  HemisphereLight,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { View } from "./camera";
import { Chains, LinkLines } from "./chains";
import { materialColour, PICKED, scale, stateColours } from "./colour";
import { median } from "./drawing";
import { Geometries, girth, poseMatrix, type Piece } from "./geometry";
import { Spheres } from "./spheres";
import { outsidePart } from "./outside";
import { sizeOf, type Contacts, type States } from "./states";

export type ColourBy = "speed" | "force" | "status" | "material";

export interface Look {
  colourBy: ColourBy;
  chains: boolean;
  dark: boolean;
}

interface Batch {
  mesh: InstancedMesh;
  body: number[];
  local: Matrix4[];
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly view: View;
  // Nothing of the page is seen through the picture: a browser that draws with the processor need not blend the two, a
  // tenth and more of what it does for each picture.
  readonly opaque: boolean;
  readonly box = new Box3(); // where bodies are, most of the time
  selected = -1; // a body
  pair: [number, number] | null = null; // two things in contact
  link = -1;
  forceScale = 0; // of colours and chains: what counts as large now
  private readonly scene = new Scene();
  private readonly batches: Batch[] = [];
  private readonly ballBody: number[] = [];
  private readonly ballLocal: Vector3[] = [];
  private readonly balls: Spheres | null;
  private readonly outside: { object: Group; index: number }[] = [];
  private readonly lines: LinkLines;
  private readonly chains: Chains;
  private readonly force: Float32Array;
  private readonly status: Uint8Array;
  private readonly size: number;
  private readonly typical: number; // extent of a body
  private readonly up: Vector3;
  private readonly sharpest: number; // pixels of the picture for one of the page
  private interval = 0; // between pictures, in the mean of the last few

  constructor(
    readonly states: States,
    canvas: HTMLCanvasElement,
  ) {
    const { section } = states;
    const fast = !drawnBySoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: fast, alpha: fast, preserveDrawingBuffer: fast });
    this.opaque = !fast;
    this.sharpest = fast ? Math.min(2, window.devicePixelRatio || 1) : 1;
    this.renderer.setPixelRatio(this.sharpest);
    const g = new Vector3(...section.gravity);
    this.up = g.length() > 0 ? g.normalize().negate() : new Vector3(0, 0, 1);
    if (section.dim === 2) this.up.set(0, 1, 0);
    this.typical = median(Array.from(states.extent.subarray(0, 5000)));
    const girths = section.shapes.map(girth);
    const thin = Math.min(this.typical, median(section.shape.slice(0, 5000).map((k) => girths[k])));
    this.size = this.measure();
    const key = this.lightFrom();
    this.force = new Float32Array(states.bodies);
    this.status = new Uint8Array(states.bodies);
    this.view = new View(canvas, section.dim === 2, this.up, this.box, this.size);
    this.balls = this.addBodies(key);
    this.addExternals();
    this.lines = new LinkLines(states);
    this.chains = new Chains(states, this.lines, thin);
    this.scene.add(this.lines.mesh, this.chains.ribbons.mesh);
    this.scene.add(new HemisphereLight("#ffffff", "#8a8f98", 1.7), new AmbientLight("#ffffff", 0.35));
    const sun = new DirectionalLight("#ffffff", 1.6);
    sun.position.copy(key);
    this.scene.add(sun);
  }

  // ---- what is where --------------------------------------------------------------------------

  // The box of most bodies, from the middle of the run to its end: what flies away or falls from far above does not
  // set the scale, unless all of it stays about as large. Of a few bodies the way that they go is what there is to see.
  private measure(): number {
    const last = this.states.times.length - 1;
    const late = this.boxOf([Math.floor(0.4 * last), Math.floor(0.7 * last), last]);
    const whole = this.boxOf([0, Math.floor(0.15 * last)]).union(late);
    const size = (box: Box3) => box.getSize(new Vector3()).length();
    const allowed = this.states.bodies < 10 ? 4 : 1.5;
    this.box.copy(size(whole) < allowed * size(late) ? whole : late);
    return Math.max(size(this.box), 1e-6);
  }

  // Nothing moves that could be seen: forces are what there is to look at, not speeds.
  get stands(): boolean {
    const { section, start, end } = this.states;
    return section.speed_max * (end - start) < 1e-4 * this.size;
  }

  private boxOf(frames: number[]): Box3 {
    const { states } = this;
    const axis: number[][] = [[], [], []];
    for (const frame of frames)
      for (let b = 0; b < states.bodies; b++)
        for (let d = 0; d < 3; d++) axis[d].push(states.coordinate(frame, b, d));
    const pad = this.typical;
    const low = new Vector3();
    const high = new Vector3();
    axis.forEach((x, d) => {
      x.sort((a, b) => a - b);
      const skip = Math.floor(0.02 * x.length);
      low.setComponent(d, (x[skip] ?? 0) - pad);
      high.setComponent(d, (x[x.length - 1 - skip] ?? 0) + pad);
    });
    return new Box3(low, high);
  }

  private lightFrom(): Vector3 {
    if (this.states.section.dim === 2) return new Vector3(-0.35, 0.5, 0.8).normalize();
    const side = new Vector3(1, 0, 0).cross(this.up).length() > 0.1 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const other = this.up.clone().cross(side).normalize();
    return this.up.clone().multiplyScalar(0.8).addScaledVector(side, 0.3).addScaledVector(other, -0.5).normalize();
  }

  private addBodies(key: Vector3): Spheres | null {
    const { section, bodies } = this.states;
    const geometries = new Geometries(section.dim, 0.8 * this.typical);
    const pieces = section.shapes.map((s) => geometries.pieces(s));
    const radius: number[] = [];
    const found = new Map<string, { piece: Piece; body: number }[]>();
    for (let b = 0; b < bodies; b++)
      for (const piece of pieces[section.shape[b]] ?? []) {
        if (piece.key === "sphere") {
          this.ballBody.push(b);
          this.ballLocal.push(new Vector3().setFromMatrixPosition(piece.local));
          radius.push(piece.radius);
        } else {
          if (!found.has(piece.key)) found.set(piece.key, []);
          found.get(piece.key)!.push({ piece, body: b });
        }
      }
    for (const [name, rows] of found) {
      const material = new MeshLambertMaterial({ color: "#ffffff" });
      const mesh = new InstancedMesh(geometries.get(name), material, rows.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.setColorAt(0, new Color("#ffffff"));
      this.scene.add(mesh);
      this.batches.push({ mesh, body: rows.map((r) => r.body), local: rows.map((r) => r.piece.local) });
    }
    if (!radius.length) return null;
    const balls = new Spheres(new Float32Array(radius), this.up, key, this.renderer.getContext().getContextAttributes()?.antialias === true);
    this.scene.add(balls.mesh);
    return balls;
  }

  // Walls are seen from their free side only: those between the camera and the bodies do not hide them.
  private addExternals() {
    const { states } = this;
    const { externals, dim } = states.section;
    const geometries = new Geometries(dim, 0.8 * this.typical);
    states.moveTo(states.start);
    const planes = externals.map((e, k) =>
      e.shape.kind === "plane" ? this.poseOf(states.bodies + k, new Matrix4()) : null,
    );
    externals.forEach((external, index) => {
      const object = new Group();
      const parts = external.shape.kind === "compound" ? (external.shape.parts ?? []) : [external.shape];
      const others = planes.filter((p, k): p is Matrix4 => p !== null && k !== index);
      for (const part of parts) {
        const local = "pose" in part ? poseMatrix(part.pose as number[]) : new Matrix4();
        const pose = this.poseOf(states.bodies + index, new Matrix4()).multiply(local);
        const made = outsidePart(part, pose, others, geometries, { dim, box: this.box, size: this.size, up: this.up });
        made.applyMatrix4(local);
        object.add(made);
      }
      this.scene.add(object);
      this.outside.push({ object, index });
    });
  }

  // ---- one moment -----------------------------------------------------------------------------

  show(time: number, look: Look) {
    const { states } = this;
    if (this.opaque) this.renderer.setClearColor(look.dark ? "#171d24" : "#e6ebf1");
    const contacts = states.contactsAt(time);
    states.moveTo(time);
    states.loads(contacts, this.force, this.status);
    const loads = states.loadsAt(time);
    this.forceScale = largeForce(contacts, loads);
    this.placeBodies();
    this.placeOutside();
    this.lines.place((object, out) => this.poseOf(object, out));
    this.chains.ribbons.mesh.visible = look.chains;
    if (look.chains)
      this.chains.place(contacts, loads, { dark: look.dark, forceScale: this.forceScale, pair: this.pair, link: this.link });
    this.paint(look);
  }

  private readonly m = new Matrix4();
  private readonly v = new Vector3();
  private readonly q = new Quaternion();

  private poseOf(object: number, out: Matrix4): Matrix4 {
    const { position, turn } = this.states;
    this.v.set(position[3 * object], position[3 * object + 1], position[3 * object + 2]);
    this.q.set(turn[4 * object], turn[4 * object + 1], turn[4 * object + 2], turn[4 * object + 3]);
    return out.compose(this.v, this.q, ONE);
  }

  private placeBodies() {
    const { position, turn } = this.states;
    const local = new Float32Array(3);
    this.ballBody.forEach((b, k) => {
      const offset = this.ballLocal[k];
      if (offset.x === 0 && offset.y === 0 && offset.z === 0) {
        this.balls!.place(k, position, 3 * b, turn, 4 * b);
      } else {
        this.poseOf(b, this.m);
        this.v.copy(offset).applyMatrix4(this.m).toArray(local);
        this.balls!.place(k, local, 0, turn, 4 * b);
      }
    });
    this.balls?.moved();
    for (const batch of this.batches) {
      batch.body.forEach((b, k) => {
        this.poseOf(b, this.m).multiply(batch.local[k]);
        batch.mesh.setMatrixAt(k, this.m);
      });
      batch.mesh.instanceMatrix.needsUpdate = true;
      batch.mesh.boundingSphere = null; // of the moment before; picking makes it anew
    }
  }

  private placeOutside() {
    for (const { object, index } of this.outside) {
      this.poseOf(this.states.bodies + index, this.m);
      this.m.decompose(object.position, object.quaternion, object.scale);
    }
  }

  private paint(look: Look) {
    const colour = new Color();
    const faded = new Color(look.dark ? "#39424d" : "#dfe4ea");
    const of = (body: number): Color => {
      if (body === this.selected) return PICKED;
      this.colourOf(body, look.colourBy, colour);
      return look.chains ? colour.lerp(faded, 0.72) : colour;
    };
    this.ballBody.forEach((b, k) => {
      const c = of(b);
      this.balls!.paint(k, c.r, c.g, c.b);
    });
    this.balls?.painted();
    for (const batch of this.batches) {
      batch.body.forEach((b, k) => batch.mesh.setColorAt(k, of(b)));
      if (batch.mesh.instanceColor) batch.mesh.instanceColor.needsUpdate = true;
    }
  }

  private colourOf(body: number, by: ColourBy, out: Color): Color {
    const { section, speed } = this.states;
    if (by === "speed") return scale(Math.sqrt(speed[body] / (section.speed_max || 1)), out);
    if (by === "force") return scale(this.force[body] / (3 * this.forceScale || 1), out);
    if (by === "status") return out.set(stateColours[this.status[body]]);
    return out.set(materialColour(section.material[body]));
  }

  forceOf(body: number): number {
    return this.force[body];
  }
  statusOf(body: number): number {
    return this.status[body];
  }

  // ---- pictures -------------------------------------------------------------------------------

  resize(width: number, height: number) {
    this.renderer.setSize(width, height, false);
    this.view.resize(width, height);
  }

  // While it plays: `passed` milliseconds since the picture before. Where pictures come too slowly they are drawn with
  // fewer pixels; 0: it stands, and is drawn sharply.
  pace(passed: number) {
    const now = this.renderer.getPixelRatio();
    if (passed === 0) {
      this.interval = 0;
      if (now !== this.sharpest) this.renderer.setPixelRatio(this.sharpest);
      return;
    }
    this.interval = this.interval ? 0.8 * this.interval + 0.2 * passed : 33;
    if (this.interval < 45 || now < 0.45 * this.sharpest) return;
    this.renderer.setPixelRatio(0.75 * now);
    this.interval = 33;
  }

  render() {
    this.renderer.render(this.scene, this.view.camera);
  }

  // Browsers have a few contexts only.
  dispose() {
    this.view.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  // ---- picking --------------------------------------------------------------------------------

  // The body at this place of the picture, both -1 .. 1; -1: none.
  pick(x: number, y: number): number {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(x, y), this.view.camera);
    let best = Infinity;
    let body = -1;
    this.ballBody.forEach((b, k) => {
      const far = this.balls!.meets(k, caster.ray.origin, caster.ray.direction);
      if (far < best) [best, body] = [far, b];
    });
    for (const batch of this.batches)
      for (const hit of caster.intersectObject(batch.mesh))
        if (hit.distance < best && hit.instanceId !== undefined)
          [best, body] = [hit.distance, batch.body[hit.instanceId]];
    return body;
  }

  // Where a body is in the picture, both -1 .. 1.
  where(body: number): { x: number; y: number } {
    const { position } = this.states;
    this.v.set(position[3 * body], position[3 * body + 1], position[3 * body + 2]).project(this.view.camera);
    return { x: this.v.x, y: this.v.y };
  }
}

// Without a graphics processor smooth edges cost more than they are worth.
function drawnBySoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

const ONE = new Vector3(1, 1, 1);

// What 95 % of the forces of this moment stay below, so that one hard blow does not hide the rest; 0: there are none.
function largeForce(contacts: Contacts, loads: Float32Array): number {
  const sizes = Array.from({ length: contacts.count }, (_, k) => sizeOf(contacts, k));
  for (let k = 0; k < loads.length; k += 2) if (loads[k] > 0) sizes.push(loads[k]);
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 0;
}
