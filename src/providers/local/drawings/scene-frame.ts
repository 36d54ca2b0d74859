import type { SceneDesign } from "../../../domain/ai/scene-design.ts";
import type { Box } from "../../../engine/drawing/box.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { StoryboardFrame } from "./backdrop.ts";

/** The places of a film's scene, in pixels: all lies in the part that every target shows. */
export type SceneFrame = StoryboardFrame & {
  readonly design: SceneDesign;
  readonly axis: number;
  /** The lowest row that every target shows. */
  readonly bottom: number;
  /** How far drawings may rise over that row without reaching the words. */
  readonly rise: number;
  /** Whether there is room below the words. */
  readonly isTall: boolean;
  /** What a wide frame shows beside the words: from their side to its edge, and between the lowest rows of low frames. */
  readonly wing?: Wing;
};

type Wing = { readonly near: number; readonly far: number; readonly top: number; readonly bottom: number };

type Point = { readonly x: number; readonly y: number };

/** What moves over a scene's ground by itself. */
export type ScenePart = {
  /** Around all that is painted, shadows too; it may lie partly outside of the frame. */
  readonly box: Box;
  /** `phase` goes from 0 to 1 in each loop. */
  readonly paint: (frame: SceneFrame, phase: number) => void;
  readonly motion: PartMotion;
  /** Its pictures repeat; without it there is one. */
  readonly isLoop?: boolean;
};

/** A ground, and what moves over it. At rest both make the scene's image. */
export type SceneLayers = {
  readonly paintGround: (frame: SceneFrame) => void;
  readonly parts: readonly ScenePart[];
};

export type PartMotion = {
  /** Where it comes from, in pixels off its place. */
  readonly from: Point;
  /** Seconds before it starts to come. */
  readonly delay: number;
  /** Goes to and fro by so many pixels. `phase` is a share of the period. */
  readonly sway?: Point & { readonly seconds: number; readonly phase: number };
};

/** A part as pixels: one picture after another. */
export type DrawnPart = { readonly box: Canvas & Point; readonly frames: number; readonly motion: PartMotion };

export const partPath = (prefix: string, index: number): string => `${prefix}-${index}.rgba`;

/** Of the pictures of a loop. */
export const loopRate = 15;
export const loopFrames = 30;
