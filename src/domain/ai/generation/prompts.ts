import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { parseColor } from "../../../platform/colors.ts";
import { cleanLines } from "../../../platform/texts.ts";
import { colorName } from "../../language/color-names.ts";
import { defaultPrompts } from "../../projects/default-prompts.ts";
import type { StyleGuide } from "../../projects/projects.ts";
import type { ImageTask, ReferenceImage, VideoTask } from "../models.ts";
import type { SceneDesign } from "../scene-design.ts";
import { joinSections } from "../untrusted-text.ts";

/** The content of an image or video, from a caller or a scenario. */
export type ShotSpec = {
  readonly prompt: string;
  /** What must not be visible, separated by commas; may be empty. */
  readonly negativePrompt: string;
  /** The system prompt. Empty for the built-in one. */
  readonly instruction: string;
  readonly styleGuide?: StyleGuide;
};

const builtIn = defaultPrompts("blank");

type Shown = { readonly references?: readonly ReferenceImage[]; readonly design?: SceneDesign | undefined };

export const imageTaskOf = (
  shot: ShotSpec,
  resolution: Canvas,
  { references = [], design }: Shown = {},
): ImageTask => ({
  prompt: joinSections(imagePrompt(shot), references.length > 0 ? referenceRule : ""),
  references,
  shot: {
    ...{ prompt: shot.prompt, avoid: avoided(shot) },
    ...(shot.styleGuide && { styleGuide: shot.styleGuide }),
    ...(design && { design }),
  },
  resolution,
});

/** A sentence for models that receive pictures of the product. */
export const sameProduct =
  "Where it is seen, it is exactly this one: the same shape, proportions, colors, materials, logo and lettering. Take nothing else from them, neither their background nor their light.";

const referenceRule = `The pictures that come with this text show the product. ${sameProduct}`;

type AnimationSource = Pick<VideoTask, "image" | "resolution" | "durationSeconds" | "references" | "direct" | "design">;

export const videoTaskOf = (shot: ShotSpec, source: AnimationSource): VideoTask => ({
  prompt: videoPrompt(shot),
  movement: shot.prompt,
  ...source,
});

/** Builds one text for everything, because image models have no separate parameters for style or negative prompts. */
export function imagePrompt(shot: ShotSpec): string {
  const { prompt, instruction, styleGuide = {} } = shot;
  const style = [
    line("Tone", [styleGuide.tone]),
    line("Main colors", (styleGuide.color_palette ?? []).map(namedColor)),
    line("Camera", [styleGuide.camera_style]),
    line("Must be in the picture", styleGuide.must_include),
  ];
  return joinSections(
    cleanLines(instruction) || builtIn.imageSystemPrompt,
    section("The style of the film", style),
    `What the picture shows\n${cleanLines(prompt)}`,
    sentence("Leave out of the picture", avoided(shot)),
  );
}

/** Builds the prompt for an image-to-video model. Leaves out what the image already shows. */
export function videoPrompt(shot: ShotSpec): string {
  const { prompt, instruction, styleGuide = {} } = shot;
  const style = [
    line("Tone", [styleGuide.tone]),
    line("Tempo", [styleGuide.tempo]),
    line("Camera", [styleGuide.camera_style]),
  ];
  return joinSections(
    cleanLines(instruction) || builtIn.videoSystemPrompt,
    section("The style of the film", style),
    `What happens in this shot\n${cleanLines(prompt)}`,
    sentence("Keep out of the shot", avoided(shot)),
  );
}

/** The negative prompt and the style guide's must_avoid, joined without duplicates; may be empty. */
export function avoided({ negativePrompt, styleGuide }: ShotSpec): string {
  return unique([...negativePrompt.split(/[,;\n]/), ...(styleGuide?.must_avoid ?? [])]).join(", ");
}

/** Adds the name of a color, which models follow better than numbers. */
const namedColor = (color: string) => (parseColor(color) ? `${colorName(color)} (${color.trim()})` : color);

type Texts = readonly (string | undefined)[] | undefined;

const line = (heading: string, texts: Texts): string => {
  const list = unique(texts).join(", ");
  return list && `- ${heading}: ${list}`;
};

const section = (heading: string, lines: readonly string[]): string => {
  const present = lines.filter(Boolean);
  return present.length > 0 ? [heading, ...present].join("\n") : "";
};

const sentence = (heading: string, text: string): string => text && `${heading}: ${text}.`;

/** Non-empty texts, each on one line, without duplicates (ignoring case); the last spelling wins. */
function unique(texts: Texts = []): readonly string[] {
  const lines = texts.map((text) => cleanLines(text ?? "").replace(/\s+/g, " ")).filter(Boolean);
  return [...new Map(lines.map((text) => [text.toLowerCase(), text])).values()];
}
