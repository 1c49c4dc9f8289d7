// Saved states of a run, out of the blob that src/report/page_frames.h describes, and between them.
import type { Section } from "../payload";

export interface ShapeData {
  kind: string;
  radius?: number;
  half?: number[];
  corners?: number[];
  faces?: number[][];
  parts?: (ShapeData & { pose: number[] })[];
}

export interface LinkData {
  kind: string;
  name: string | null;
  a: [number, number, number, number]; // object, then the point it carries
  b: [number, number, number, number];
}

// What playback needs to know, besides the blob.
export interface SceneData {
  title: string | null;
  dim: number;
  gravity: number[];
  names: (string | null)[];
  shapes: ShapeData[];
  shape: number[];
  mass: number[];
  materials: (string | null)[];
  material: number[];
  externals: { name: string | null; moves: boolean; shape: ShapeData }[];
  links: LinkData[];
  links_measured: boolean; // what they bear is known
  pairs?: [number, number][]; // of what each contact is, where they are the same all the time
  blob: number;
  frames: [at: number, time: number, step: number, contacts: number, active: number, force: number][];
  frames_saved: number;
  speed_max: number;
  force_max: number;
}

export interface RunSection extends Section, SceneData {
  kind: "run";
  title: string | null;
  finished: boolean;
  steps: number;
  unsolved_steps: number;
  contacts: number;
  step: number;
  duration: number;
  tolerance: number;
  solver: string | null;
  columns: Record<string, (number | null)[]>;
  closure: number; // of the energy balance
  seconds: number; // of computing; 0: not recorded
}

// All points of contact of two things as one.
export interface Between {
  points: number;
  normal: number; // force that presses them together
  friction: number;
  state: number; // 0 none bears, 1 stick, 2 slip: the loosest that bears
}

export interface Contacts {
  count: number;
  active: number; // of them `count` are here, the strongest
  a: Uint16Array | Uint32Array;
  b: Uint16Array | Uint32Array; // >= bodies: external objects
  point: Int16Array; // from the centre of a, over its extent, times 32767
  force: Int16Array; // times forceUnit
  forceUnit: number;
  normal: Int16Array;
  state: Uint8Array;
}

interface Frame {
  position: Uint16Array;
  turn: Int16Array;
  speed: Uint16Array;
  external: Float32Array;
  loads: Float32Array; // of joints and elements: force, moment
  contacts: Contacts;
}

const aligned = (n: number) => (n + 3) & ~3;

export class States {
  readonly bodies: number;
  readonly externals: number;
  readonly times: Float64Array;
  readonly low: Float32Array;
  readonly high: Float32Array;
  readonly extent: Float32Array;
  // of the moment asked for last: bodies, then external objects
  readonly position: Float32Array;
  readonly turn: Float32Array; // x y z w, as three.js has it
  readonly speed: Float32Array;
  private readonly frames: Frame[];

  constructor(
    readonly section: SceneData,
    bytes: ArrayBuffer,
  ) {
    const n = (this.bodies = section.names.length);
    const m = (this.externals = section.externals.length);
    this.low = new Float32Array(bytes, 0, 3 * n);
    this.high = new Float32Array(bytes, 12 * n, 3 * n);
    this.extent = new Float32Array(bytes, 24 * n, n);
    this.times = Float64Array.from(section.frames, (row) => row[1]);
    this.frames = section.frames.map((row) => this.frame(bytes, row));
    this.position = new Float32Array(3 * (n + m));
    this.turn = new Float32Array(4 * (n + m));
    this.speed = new Float32Array(n);
  }

  private frame(bytes: ArrayBuffer, [at, , , count, active, force]: SceneData["frames"][0]): Frame {
    const n = this.bodies;
    const m = this.externals;
    const Ends = n + m > 65535 ? Uint32Array : Uint16Array;
    const take = <T>(
      Type: { new (b: ArrayBuffer, at: number, n: number): T; BYTES_PER_ELEMENT: number },
      length: number,
    ): T => {
      const view = new Type(bytes, at, length);
      at += aligned(length * Type.BYTES_PER_ELEMENT);
      return view;
    };
    return {
      position: take(Uint16Array, 3 * n),
      turn: take(Int16Array, 4 * n),
      speed: take(Uint16Array, n),
      external: take(Float32Array, 7 * m),
      loads: take(Float32Array, 2 * this.section.links.length),
      contacts: {
        count,
        active,
        a: take<Uint16Array | Uint32Array>(Ends, count),
        b: take<Uint16Array | Uint32Array>(Ends, count),
        point: take(Int16Array, 3 * count),
        force: take(Int16Array, 3 * count),
        forceUnit: (force || 0) / 32767,
        normal: take(Int16Array, 3 * count),
        state: take(Uint8Array, count),
      },
    };
  }

  get start(): number {
    return this.times[0];
  }
  get end(): number {
    return this.times[this.times.length - 1];
  }

  // The last state at or before this time.
  before(time: number): number {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  nearest(time: number): number {
    const k = this.before(time);
    const next = Math.min(k + 1, this.times.length - 1);
    return this.times[next] - time < time - this.times[k] ? next : k;
  }

  // Contacts are of a step: those of the state that is nearest.
  contactsAt(time: number): Contacts {
    return this.frames[this.nearest(time)].contacts;
  }

  contactsOf(frame: number): Contacts {
    return this.frames[frame].contacts;
  }

  loadsAt(time: number): Float32Array {
    return this.frames[this.nearest(time)].loads;
  }

  loadsOf(frame: number): Float32Array {
    return this.frames[frame].loads;
  }

  speedOf(frame: number, body: number): number {
    return (this.frames[frame].speed[body] / 65535) * this.section.speed_max;
  }

  coordinate(frame: number, body: number, axis: number): number {
    const k = 3 * body + axis;
    return this.low[k] + ((this.high[k] - this.low[k]) * this.frames[frame].position[k]) / 65535;
  }

  // Positions and turns between the two states around this time.
  moveTo(time: number) {
    const k = this.before(time);
    const next = Math.min(k + 1, this.times.length - 1);
    const span = this.times[next] - this.times[k];
    const part = span > 0 ? Math.min(1, Math.max(0, (time - this.times[k]) / span)) : 0;
    this.moveBodies(this.frames[k], this.frames[next], part);
    this.moveExternals(this.frames[k].external, this.frames[next].external, part);
  }

  private moveBodies(from: Frame, to: Frame, part: number) {
    const { low, high, position, speed } = this;
    const unit = this.section.speed_max / 65535;
    for (let k = 0; k < 3 * this.bodies; k++) {
      const q = from.position[k] + (to.position[k] - from.position[k]) * part;
      position[k] = low[k] + ((high[k] - low[k]) * q) / 65535;
    }
    for (let b = 0; b < this.bodies; b++) {
      speed[b] = (from.speed[b] + (to.speed[b] - from.speed[b]) * part) * unit;
      this.blend(from.turn, to.turn, 4 * b, 4 * b, part);
    }
  }

  private moveExternals(from: Float32Array, to: Float32Array, part: number) {
    for (let e = 0; e < this.externals; e++) {
      const out = 3 * (this.bodies + e);
      for (let d = 0; d < 3; d++)
        this.position[out + d] = from[7 * e + d] + (to[7 * e + d] - from[7 * e + d]) * part;
      this.blend(from, to, 7 * e + 3, 4 * (this.bodies + e), part);
    }
  }

  // Normalised linear interpolation, the short way round.
  private blend(from: ArrayLike<number>, to: ArrayLike<number>, at: number, out: number, part: number) {
    let dot = 0;
    for (let d = 0; d < 4; d++) dot += from[at + d] * to[at + d];
    const sign = dot < 0 ? -part : part;
    let length = 0;
    const q = [0, 0, 0, 0];
    for (let d = 0; d < 4; d++) {
      q[d] = from[at + d] * (1 - part) + to[at + d] * sign;
      length += q[d] * q[d];
    }
    const over = length > 0 ? 1 / Math.sqrt(length) : 0;
    this.turn[out] = q[1] * over;
    this.turn[out + 1] = q[2] * over;
    this.turn[out + 2] = q[3] * over;
    this.turn[out + 3] = length > 0 ? q[0] * over : 1;
  }

  between(c: Contacts, one: number, other: number): Between {
    const sum: Between = { points: 0, normal: 0, friction: 0, state: 0 };
    const across = [0, 0, 0];
    for (let k = 0; k < c.count; k++) {
      const as = c.a[k] === one && c.b[k] === other;
      if (!as && !(c.a[k] === other && c.b[k] === one)) continue;
      let normal = 0;
      for (let d = 0; d < 3; d++) normal += (c.force[3 * k + d] * c.normal[3 * k + d]) / 32767;
      for (let d = 0; d < 3; d++)
        across[d] += (as ? 1 : -1) * (c.force[3 * k + d] - (normal * c.normal[3 * k + d]) / 32767) * c.forceUnit;
      sum.points++;
      sum.normal += normal * c.forceUnit;
      sum.state = Math.max(sum.state, c.state[k]);
    }
    sum.friction = Math.hypot(...across);
    return sum;
  }

  // Sum of the sizes of the contact forces on each body, and 0 free, 1 stick, 2 slip: the loosest that bears.
  loads(contacts: Contacts, force: Float32Array, status: Uint8Array) {
    force.fill(0);
    status.fill(0);
    for (let k = 0; k < contacts.count; k++) {
      const size = sizeOf(contacts, k);
      for (const object of [contacts.a[k], contacts.b[k]]) {
        if (object >= this.bodies) continue;
        force[object] += size;
        status[object] = Math.max(status[object], contacts.state[k]);
      }
    }
  }
}

export function sizeOf(c: Contacts, k: number): number {
  return Math.hypot(c.force[3 * k], c.force[3 * k + 1], c.force[3 * k + 2]) * c.forceUnit;
}
