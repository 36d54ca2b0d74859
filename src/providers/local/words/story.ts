import type { CameraMove } from "../../../domain/ai/generation/local-generator.ts";
import content from "./content/story.json" with { type: "json" };

/** The role of a scene in the story. */
export type Beat = "hook" | "context" | "product" | "benefit" | "detail" | "action";

/** The templates for each scene of a beat. They take the values that shots.ts lists. */
type BeatTemplate = {
  /** The weight relative to the other scenes. */
  readonly durationWeight: number;
  /** Used in turn for the scenes of the beat. */
  readonly cameraMoves: readonly CameraMove[];
  readonly framing: string;
  /** A template for the image. */
  readonly subject: string;
  /** A template for the movement. */
  readonly action: string;
  readonly showsPerson: boolean;
  readonly showsPlace: boolean;
  /** Depth of field, and free space for a text overlay. */
  readonly composition: string;
};

type Story = {
  /** The beats by scene count, beginning with one. */
  readonly outlines: readonly (readonly Beat[])[];
  readonly beats: Readonly<Record<Beat, BeatTemplate>>;
  readonly cameraSentences: Readonly<Record<CameraMove, string>>;
  readonly negativePrompt: string;
};

// TypeScript reads the beats and camera moves of a JSON file as plain strings
export const story = content as Story;

/** The beats of a video. Long videos alternate benefits and details before the call to action. */
export function outlineOf(sceneCount: number): readonly Beat[] {
  const outline = story.outlines[sceneCount - 1];
  if (outline) return outline;
  const middle = Array.from({ length: sceneCount - 4 }, (_, index): Beat => (index % 2 === 0 ? "benefit" : "detail"));
  return ["hook", "context", "product", ...middle, "action"];
}
