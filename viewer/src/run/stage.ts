// The scene in 3D: bodies, external objects, links and force chains at one moment.
import {
  AmbientLight,
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DynamicDrawUsage,
  Group,
  HemisphereLight,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Quaternion,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { median } from "./drawing";
import { links as linkColours, scale, stateColours } from "./colour";
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

const MATERIALS = ["#7d93a8", "#b58a6a", "#7fa37c", "#a487b5", "#b5a768", "#6f9fa6"].map((c) => new Color(c));
const SELECTED = new Color("#ff3d9a");

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly box = new Box3(); // where bodies are, most of the time
  selected = -1;
  forceScale = 0; // of colours and chains: what counts as large now
  private readonly scene = new Scene();
  private readonly batches: Batch[] = [];
  private readonly ballBody: number[] = [];
  private readonly ballLocal: Vector3[] = [];
  private readonly balls: Spheres | null;
  private readonly outside: { object: Group; index: number }[] = [];
  private readonly chains: InstancedMesh;
  private readonly linkLines: LineSegments;
  private readonly force: Float32Array;
  private readonly status: Uint8Array;
  private readonly size: number;
  private readonly typical: number; // extent of a body
  private readonly girth: number;
  private readonly up: Vector3;
  private readonly sharpest: number; // pixels of the picture for one of the page
  private interval = 0; // between pictures, in the mean of the last few

  constructor(
    readonly states: States,
    canvas: HTMLCanvasElement,
  ) {
    const { section } = states;
    const fast = !drawnBySoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: fast, alpha: true, preserveDrawingBuffer: true });
    this.sharpest = fast ? Math.min(2, window.devicePixelRatio || 1) : 1;
    this.renderer.setPixelRatio(this.sharpest);
    const g = new Vector3(...section.gravity);
    this.up = g.length() > 0 ? g.normalize().negate() : new Vector3(0, 0, 1);
    if (section.dim === 2) this.up.set(0, 1, 0);
    this.typical = median(Array.from(states.extent.subarray(0, 5000)));
    const girths = section.shapes.map(girth);
    this.girth = Math.min(this.typical, median(section.shape.slice(0, 5000).map((k) => girths[k])));
    this.size = this.measure();
    const key = this.lightFrom();
    this.force = new Float32Array(states.bodies);
    this.status = new Uint8Array(states.bodies);
    this.camera = new PerspectiveCamera(35, 1, this.size / 500, this.size * 100);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    if (section.dim === 2) this.controls.enableRotate = false;
    this.balls = this.addBodies(key);
    this.addExternals();
    this.chains = this.addChains();
    this.linkLines = this.addLinks();
    this.scene.add(new HemisphereLight("#ffffff", "#8a8f98", 1.7), new AmbientLight("#ffffff", 0.35));
    const sun = new DirectionalLight("#ffffff", 1.6);
    sun.position.copy(key);
    this.scene.add(sun);
    this.view("home");
  }

  // ---- what is where --------------------------------------------------------------------------

  // The box of most bodies, from the middle of the run to its end: what flies away or falls from far above does not
  // set the scale, unless all of it stays about as large.
  private measure(): number {
    const last = this.states.times.length - 1;
    const late = this.boxOf([Math.floor(0.4 * last), Math.floor(0.7 * last), last]);
    const whole = this.boxOf([0, Math.floor(0.15 * last)]).union(late);
    const size = (box: Box3) => box.getSize(new Vector3()).length();
    this.box.copy(size(whole) < 1.5 * size(late) ? whole : late);
    return Math.max(size(this.box), 1e-6);
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

  private addChains(): InstancedMesh {
    const most = Math.max(1, ...this.states.section.frames.map((row) => row[3]));
    const geometry = new CylinderGeometry(1, 1, 1, 7, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const material = new MeshBasicMaterial({ color: "#ffffff", depthTest: false, transparent: true, opacity: 0.92 });
    const mesh = new InstancedMesh(geometry, material, 2 * most);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.setColorAt(0, new Color());
    mesh.renderOrder = 5;
    mesh.frustumCulled = false;
    mesh.visible = false;
    this.scene.add(mesh);
    return mesh;
  }

  private addLinks(): LineSegments {
    const { links } = this.states.section;
    const colours: number[] = [];
    for (const link of links) {
      const c = new Color(linkColours[link.kind] ?? "#d0386b");
      colours.push(c.r, c.g, c.b, c.r, c.g, c.b);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(6 * links.length), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    const material = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    const mesh = new LineSegments(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = 6;
    mesh.visible = links.length > 0;
    // ends as dots: those of a joint or a bushing are one point
    const dots = new Points(
      geometry,
      new PointsMaterial({ vertexColors: true, size: 7, sizeAttenuation: false, depthTest: false, transparent: true }),
    );
    dots.frustumCulled = false;
    dots.renderOrder = 6;
    mesh.add(dots);
    this.scene.add(mesh);
    return mesh;
  }

  // ---- one moment -----------------------------------------------------------------------------

  show(time: number, look: Look) {
    const { states } = this;
    const contacts = states.contactsAt(time);
    states.moveTo(time);
    states.loads(contacts, this.force, this.status);
    this.forceScale = largeForce(contacts);
    this.placeBodies();
    this.placeOutside();
    this.placeLinks();
    this.placeChains(contacts, look);
    this.paint(look);
  }

  private readonly m = new Matrix4();
  private readonly v = new Vector3();
  private readonly w = new Vector3();
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

  private placeLinks() {
    const { links } = this.states.section;
    const position = this.linkLines.geometry.getAttribute("position") as BufferAttribute;
    links.forEach((link, k) => {
      [link.a, link.b].forEach((end, side) => {
        this.w.set(end[1], end[2], end[3]);
        if (end[0] >= 0) this.w.applyMatrix4(this.poseOf(end[0], this.m));
        position.setXYZ(2 * k + side, this.w.x, this.w.y, this.w.z);
      });
    });
    position.needsUpdate = true;
  }

  private placeChains(contacts: Contacts, look: Look) {
    this.chains.visible = look.chains;
    if (!look.chains) return;
    const { states } = this;
    const colour = new Color();
    const weak = new Color(look.dark ? "#8a4b2a" : "#f0b27a");
    const strong = new Color(look.dark ? "#ffd35c" : "#b3140f");
    const thick = 0.24 * this.girth;
    let used = 0;
    const from = new Vector3();
    const to = new Vector3();
    const segment = (object: number, part: number) => {
      const { position } = states;
      to.set(position[3 * object], position[3 * object + 1], position[3 * object + 2]);
      const length = from.distanceTo(to);
      const width = thick * part ** 0.7;
      this.q.setFromUnitVectors(Z, to.clone().sub(from).normalize());
      this.m.compose(from, this.q, this.w.set(width, width, length));
      this.chains.setMatrixAt(used, this.m);
      this.chains.setColorAt(used, colour);
      used++;
    };
    const order = Array.from({ length: contacts.count }, (_, k) => k); // the strongest on top
    order.sort((i, k) => sizeOf(contacts, i) - sizeOf(contacts, k));
    for (const k of order) {
      const part = Math.min(1, sizeOf(contacts, k) / this.forceScale);
      if (part < 0.003) continue;
      const a = contacts.a[k];
      const unit = states.extent[a] / 32767;
      for (let d = 0; d < 3; d++)
        from.setComponent(d, states.position[3 * a + d] + contacts.point[3 * k + d] * unit);
      colour.copy(weak).lerp(strong, Math.sqrt(part));
      segment(a, part);
      if (contacts.b[k] < states.bodies) segment(contacts.b[k], part);
    }
    this.chains.count = used;
    this.chains.instanceMatrix.needsUpdate = true;
    if (this.chains.instanceColor) this.chains.instanceColor.needsUpdate = true;
  }

  private paint(look: Look) {
    const colour = new Color();
    const faded = new Color(look.dark ? "#39424d" : "#dfe4ea");
    const of = (body: number): Color => {
      if (body === this.selected) return SELECTED;
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
    return out.copy(MATERIALS[section.material[body] % MATERIALS.length]);
  }

  forceOf(body: number): number {
    return this.force[body];
  }
  statusOf(body: number): number {
    return this.status[body];
  }

  // ---- the camera -----------------------------------------------------------------------------

  view(name: "home" | "top" | "side") {
    const centre = this.box.getCenter(new Vector3());
    const flat = this.states.section.dim === 2;
    const side = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const front = side.clone().cross(this.up).normalize();
    const towards = flat
      ? new Vector3(0, 0, 1)
      : name === "top"
        ? this.up.clone().addScaledVector(front, 0.001)
        : name === "side"
          ? front
          : front.clone().addScaledVector(side, 0.55).addScaledVector(this.up, 0.42);
    const tall = this.box.getSize(new Vector3());
    const radius = 0.5 * (flat ? Math.max(tall.x / Math.max(1, this.camera.aspect), tall.y) : this.size * 0.88);
    const away = radius / Math.tan((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(towards.normalize(), away * 1.12);
    this.controls.update();
  }

  // Turns by angles about the upright and the sideways direction, or goes nearer: for keys.
  orbit(across: number, down: number) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (this.states.section.dim === 2) {
      const shift = new Vector3(across, -down, 0).multiplyScalar(offset.length() * 0.3);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
    } else {
      const right = offset.clone().cross(this.up).normalize();
      const tilt = Math.acos(Math.min(1, Math.max(-1, offset.clone().normalize().dot(this.up))));
      const turned = Math.min(Math.PI - 0.05, Math.max(0.05, tilt + down)) - tilt;
      offset.applyAxisAngle(right, -turned).applyAxisAngle(this.up, across);
      this.camera.position.copy(this.controls.target).add(offset);
    }
    this.controls.update();
  }

  approach(factor: number) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(offset, factor);
    this.controls.update();
  }

  resize(width: number, height: number) {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
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
    this.renderer.render(this.scene, this.camera);
  }

  // ---- picking --------------------------------------------------------------------------------

  // The body at this place of the picture, both -1 .. 1; -1: none.
  pick(x: number, y: number): number {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(x, y), this.camera);
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
    this.v.set(position[3 * body], position[3 * body + 1], position[3 * body + 2]).project(this.camera);
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
const Z = new Vector3(0, 0, 1);

// What 95 % of the forces of this moment stay below, so that one hard blow does not hide the rest.
function largeForce(contacts: Contacts): number {
  const sizes = Array.from({ length: contacts.count }, (_, k) => sizeOf(contacts, k)).sort((a, b) => a - b);
  return sizes[Math.floor(0.95 * (sizes.length - 1))] || 1;
}
