// Files of tables: trajectories of mechanisms, and runs of elastic bodies.
import type { Section } from "./payload";
import type { SceneData } from "./run/states";

export type Column = (number | null)[];

export interface TableSection extends Section {
  dim: number;
  mechanism: string | null;
  title: string | null; // what it is, in words
  scheme: string | null;
  parameters: string | null;
  ended: string | null;
  sizes: Record<string, Record<string, number[]>>;
  play?: SceneData; // of a scene: its bodies
  samples?: Record<string, Column>;
  events?: Record<string, Column>;
  steps?: Record<string, Column>;
  frames?: Record<string, Column>;
  model?: Record<string, Column>;
}

export const largest = (x: Column | undefined) => (x ?? []).reduce<number>((m, v) => Math.max(m, Math.abs(v ?? 0)), 0);
