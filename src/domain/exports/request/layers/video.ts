import { z } from "zod";
import { CssColor, Fraction, Length, namedObject, optional, SceneIndex, Volume } from "../../../shared/schemas.ts";
import { between, bounds } from "./numbers.ts";

const sourceFields = {
  assetId: optional(z.string().max(100)).describe("A video of the project."),
  sceneIndex: optional(SceneIndex).describe(
    "The index of a scene in the work's list, from 0: its video, or else its image. Instead of an asset.",
  ),
  videoUrl: optional(z.string().max(8192)).describe(
    "The URL of a video of this project, or of a generated one. Instead of an asset.",
  ),
};

const sourceNames = ["assetId", "sceneIndex", "videoUrl"] as const;

/** The fields of videos as layers, besides those of every layer. */
export const videoFields = {
  ...sourceFields,
  width: optional(Length).describe("Pixels; by default the video's, or in proportion to the height."),
  height: optional(Length).describe("Pixels; by default the video's, or in proportion to the width."),
  fit: optional(z.enum(["contain", "cover", "stretch"])).describe("How the video fills the box; `contain` by default."),
  focus: optional(namedObject("VideoFocus", { x: Fraction, y: Fraction })).describe(
    "The point that stays visible with `cover`, as shares of the video; the middle by default.",
  ),
  zoom: optional(between(bounds.zoom)).describe("Enlarges the video in its box; 1 by default."),
  cutFrom: optional(z.number().min(0).max(1_000_000)).describe("Seconds into the source; 0 by default."),
  speed: optional(between({ min: 0.1, max: 10 })).describe("0.1 to 10; 1 by default. The sound keeps its pitch."),
  reverse: optional(z.boolean()).describe("Plays the part backwards that it would show, with its sound."),
  repeat: optional(z.boolean()).describe("Starts again where the source ends; else its last frame is held."),
  volume: optional(Volume).describe("0 to 4; 1 by default."),
  chromaKey: optional(
    namedObject("ChromaKey", {
      color: CssColor.describe("The color that becomes transparent, such as #00ff00."),
      similarity: optional(Fraction).describe("How far colors may be from it; 0.15 by default."),
      smoothness: optional(Fraction).describe("The width of the soft edge; 0.1 by default."),
    }),
  ),
};

type Named = { readonly [name in (typeof sourceNames)[number]]?: unknown };

/** Reports a video that names no source, or several. */
export function requireOneSource(video: Named, context: z.core.$RefinementCtx): void {
  // an empty id names nothing, as in images
  const given = sourceNames.filter((name) => video[name] !== undefined && video[name] !== "");
  const add = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (given.length === 0) add("assetId", "Is required, or sceneIndex or videoUrl.");
  for (const name of given.slice(1)) add(name, `Is not for use with ${given[0]}.`);
}
