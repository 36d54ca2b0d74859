import type { Canvas } from "../../engine/timeline/timeline.ts";

/** What can be drawn as it is. For any other product a drawing would be a wrong one. */
const drawables = ["cup", "bottle", "phone"] as const;
export type Drawable = (typeof drawables)[number];

/** Dots, of which some are filled, from the first of them on. */
export type Amount = {
  readonly filled: number;
  readonly total: number;
  readonly first?: number;
  readonly isCrossed?: boolean;
};

/** Discs, bars and tiles. */
export const shapeKinds = 3;

/** How a scene of a film is drawn around the words that are laid over it. Colors are `#rrggbb`. */
export type SceneDesign = {
  readonly place: "opening" | "middle" | "end";
  /** The color on which words stand. */
  readonly ground: string;
  readonly accent: string;
  readonly second: string;
  readonly dark: string;
  readonly light: string;
  /** Stands below the words; without one, shapes do. */
  readonly object?: Drawable;
  /** So many of so many, drawn as dots in place of shapes. */
  readonly amount?: Amount;
  /** Scenes of a film have the same shapes, arranged in another way. */
  readonly variant: number;
  /** The side at which the words begin: wide frames have shapes at the other. */
  readonly begins: "left" | "right";
  /** The middle of the frame that all targets show, as shares of its sides. */
  readonly core: Canvas;
  /** The axis of the words, as a share of the width. */
  readonly axis: number;
};
