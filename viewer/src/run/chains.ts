// What transmits forces: chains through the contacts, joints and force elements, and the lines of the latter.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Points,
  PointsMaterial,
  Vector3,
} from "three";
import { links as linkColours, PICKED } from "./colour";
import { Ribbons } from "./ribbons";
import { sizeOf, type Contacts, type States } from "./states";

// ---- lines of joints and elements ---------------------------------------------------------------

export class LinkLines {
  readonly mesh: LineSegments;
  private readonly position: BufferAttribute;

  constructor(private readonly states: States) {
    const { links } = states.section;
    const colours: number[] = [];
    for (const link of links) {
      const c = new Color(linkColours[link.kind] ?? "#d0386b");
      colours.push(c.r, c.g, c.b, c.r, c.g, c.b);
    }
    const geometry = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(6 * links.length), 3);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    const material = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    this.mesh = new LineSegments(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 6;
    this.mesh.visible = links.length > 0;
    // ends as dots: those of a joint or a bushing are one point
    const dots = new Points(
      geometry,
      new PointsMaterial({ vertexColors: true, size: 7, sizeAttenuation: false, depthTest: false, transparent: true }),
    );
    dots.frustumCulled = false;
    dots.renderOrder = 6;
    this.mesh.add(dots);
  }

  place(poseOf: (object: number, out: Matrix4) => Matrix4) {
    const m = new Matrix4();
    const end = new Vector3();
    this.states.section.links.forEach((link, k) => {
      [link.a, link.b].forEach(([object, x, y, z], side) => {
        end.set(x, y, z);
        if (object >= 0) end.applyMatrix4(poseOf(object, m));
        this.position.setXYZ(2 * k + side, end.x, end.y, end.z);
      });
    });
    this.position.needsUpdate = true;
  }

  end(link: number, side: 0 | 1, out: Vector3): Vector3 {
    return out.fromBufferAttribute(this.position, 2 * link + side);
  }
}

// ---- chains -------------------------------------------------------------------------------------

export interface Shown {
  dark: boolean;
  forceScale: number; // what is drawn thickest
  pair: [number, number] | null; // a contact that is picked
  link: number; // a joint or an element that is; -1: none
}

export class Chains {
  readonly ribbons: Ribbons;
  private readonly colour = new Color();

  constructor(
    private readonly states: States,
    private readonly lines: LinkLines,
    private readonly girth: number,
  ) {
    const { frames, links } = states.section;
    this.ribbons = new Ribbons(2 * frames.reduce((n, row) => Math.max(n, row[3]), 1) + 2 * links.length);
  }

  place(contacts: Contacts, loads: Float32Array, shown: Shown) {
    this.ribbons.begin();
    this.placeContacts(contacts, shown);
    this.placeLinks(loads, shown);
    this.ribbons.end();
  }

  private placeContacts(contacts: Contacts, shown: Shown) {
    const { states } = this;
    const from = new Vector3();
    const order = Array.from({ length: contacts.count }, (_, k) => k); // the strongest on top
    order.sort((i, k) => sizeOf(contacts, i) - sizeOf(contacts, k));
    for (const k of order) {
      const [a, b] = [contacts.a[k], contacts.b[k]];
      const picked = shown.pair !== null && shown.pair.includes(a) && shown.pair.includes(b);
      const part = this.colourFor(sizeOf(contacts, k), picked, shown);
      if (!part) continue;
      const unit = states.extent[a] / 32767;
      for (let d = 0; d < 3; d++) from.setComponent(d, states.position[3 * a + d] + contacts.point[3 * k + d] * unit);
      this.towards(from, a, part);
      if (b < states.bodies) this.towards(from, b, part);
    }
  }

  private placeLinks(loads: Float32Array, shown: Shown) {
    const from = new Vector3();
    const to = new Vector3();
    this.states.section.links.forEach((link, k) => {
      const part = this.colourFor(loads[2 * k], k === shown.link, shown);
      if (!part) return;
      this.lines.end(k, 0, from);
      this.lines.end(k, 1, to);
      if (from.distanceTo(to) > 0.05 * this.girth) return this.segment(from, to, part);
      for (const [object] of [link.a, link.b])
        if (object >= 0 && object < this.states.bodies) this.towards(from, object, part);
    });
  }

  // How thick, 0 to 1; 0: too weak to be seen.
  private colourFor(size: number, picked: boolean, shown: Shown): number {
    const part = Math.min(1, size / (shown.forceScale || 1));
    if (!(part >= 0.003)) return 0;
    const weak = shown.dark ? "#8a4b2a" : "#f0b27a";
    const strong = shown.dark ? "#ffd35c" : "#b3140f";
    this.colour.set(weak).lerp(STRONG.set(strong), Math.sqrt(part));
    if (picked) this.colour.copy(PICKED);
    return part;
  }

  private towards(from: Vector3, object: number, part: number) {
    const { position } = this.states;
    this.segment(from, CENTRE.set(position[3 * object], position[3 * object + 1], position[3 * object + 2]), part);
  }

  private segment(from: Vector3, to: Vector3, part: number) {
    this.ribbons.add(from, to, 0.24 * this.girth * part ** 0.7, this.colour);
  }
}

const STRONG = new Color();
const CENTRE = new Vector3();
