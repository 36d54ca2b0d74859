import type { Canvas } from "../../engine/timeline/timeline.ts";

/** The objects that can be drawn faithfully. Any other product would be drawn wrong. */
const drawables = ["cup", "bottle", "phone"] as const;
export type Drawable = (typeof drawables)[number];

/** A row of dots, the first of which are filled. */
export type Amount = {
  readonly filled: number;
  readonly total: number;
  readonly first?: number;
  readonly isCrossed?: boolean;
};

/** The kinds are discs, bars and tiles. */
export const shapeKinds = 3;

/** The drawing of a film's scene around its words. Colors are `#rrggbb`. */
export type SceneDesign = {
  readonly place: "opening" | "middle" | "end";
  /** The color behind the words. */
  readonly ground: string;
  readonly accent: string;
  readonly second: string;
  readonly dark: string;
  readonly light: string;
  /** Drawn below the words; shapes if absent. */
  readonly object?: Drawable;
  /** A share, drawn as dots in place of shapes. */
  readonly amount?: Amount;
  /** Scenes of a film have the same shapes in different arrangements. */
  readonly variant: number;
  /** The side at which the words begin: wide frames have their shapes at the other side. */
  readonly begins: "left" | "right";
  /** The centre of the frame that all targets show, as shares of its sides. */
  readonly core: Canvas;
  /** The axis of the words, as a share of the width. */
  readonly axis: number;
};
