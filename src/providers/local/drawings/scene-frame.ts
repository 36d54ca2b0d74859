import type { SceneDesign } from "../../../domain/ai/scene-design.ts";
import type { Box } from "../../../engine/drawing/box.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { StoryboardFrame } from "./backdrop.ts";

/** The layout of a film's scene, in pixels: everything lies in the part that every target shows. */
export type SceneFrame = StoryboardFrame & {
  readonly design: SceneDesign;
  readonly axis: number;
  /** The lowest row that every target shows. */
  readonly bottom: number;
  /** The height above that row that drawings may have without reaching the words. */
  readonly rise: number;
  /** True if there is room below the words. */
  readonly isTall: boolean;
  /** The area of a wide frame beside the words: from their side to its edge, and between low frames' lowest rows. */
  readonly wing?: Wing;
};

type Wing = { readonly near: number; readonly far: number; readonly top: number; readonly bottom: number };

type Point = { readonly x: number; readonly y: number };

/** A part that moves over a scene's ground on its own. */
export type ScenePart = {
  /** The box around all painted pixels, including shadows; it may lie partly outside of the frame. */
  readonly box: Box;
  /** `phase` goes from 0 to 1 in each loop. */
  readonly paint: (frame: SceneFrame, phase: number) => void;
  readonly motion: PartMotion;
  /** True if its pictures repeat; otherwise it has one. */
  readonly isLoop?: boolean;
};

/** A ground, and the parts that move over it. At rest both form the scene's image. */
export type SceneLayers = {
  readonly paintGround: (frame: SceneFrame) => void;
  readonly parts: readonly ScenePart[];
};

export type PartMotion = {
  /** The offset from which it enters, in pixels. */
  readonly from: Point;
  /** The seconds before it enters. */
  readonly delay: number;
  /** The amplitude of its sway in pixels. `phase` is a share of the period. */
  readonly sway?: Point & { readonly seconds: number; readonly phase: number };
};

/** A part as pixels: consecutive pictures. */
export type DrawnPart = { readonly box: Canvas & Point; readonly frames: number; readonly motion: PartMotion };

export const partPath = (prefix: string, index: number): string => `${prefix}-${index}.rgba`;

/** The pictures per second of a loop. */
export const loopRate = 15;
export const loopFrames = 30;
