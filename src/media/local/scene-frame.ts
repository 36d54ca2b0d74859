import type { SceneDesign } from "../../domain/ai/scene-design.ts";
import type { StoryboardFrame } from "./backdrop.ts";

/** The places of a film's scene, in pixels: all lies in the part that every target shows. */
export type SceneFrame = StoryboardFrame & {
  readonly design: SceneDesign;
  readonly axis: number;
  /** The lowest row that every target shows. */
  readonly bottom: number;
  /** Whether there is room below the words. */
  readonly isTall: boolean;
};
