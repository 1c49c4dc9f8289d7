// Where the scene is seen from: with the mouse, by keys, from given sides.
import { Vector3, PerspectiveCamera, type Box3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export class View {
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly flat: boolean,
    private readonly up: Vector3,
    private readonly box: Box3,
    private readonly size: number,
  ) {
    this.camera = new PerspectiveCamera(35, 1, size / 500, size * 100);
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    if (flat) this.controls.enableRotate = false;
    this.from("home");
  }

  from(name: "home" | "top" | "side") {
    const centre = this.box.getCenter(new Vector3());
    const side = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const front = side.clone().cross(this.up).normalize();
    const towards = this.flat
      ? new Vector3(0, 0, 1)
      : name === "top"
        ? this.up.clone().addScaledVector(front, 0.001)
        : name === "side"
          ? front
          : front.clone().addScaledVector(side, 0.55).addScaledVector(this.up, 0.42);
    const tall = this.box.getSize(new Vector3());
    const radius = 0.5 * (this.flat ? Math.max(tall.x / Math.max(1, this.camera.aspect), tall.y) : this.size * 0.88);
    const away = radius / Math.tan((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(towards.normalize(), away * 1.12);
    this.controls.update();
  }

  // Turns by angles about the upright and the sideways direction, or goes nearer: for keys.
  orbit(across: number, down: number) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (this.flat) {
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
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }

  // Where it is and what it looks at, to come back to.
  get place(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }
  set place(x: number[]) {
    this.camera.position.fromArray(x);
    this.controls.target.fromArray(x, 3);
    this.controls.update();
  }
}
