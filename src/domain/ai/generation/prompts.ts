import { defaultPrompts } from "../../projects/default-prompts.ts";
import type { StyleGuide } from "../../projects/projects.ts";
import { colorName } from "../../shared/color-names.ts";
import { parseColor } from "../../shared/colors.ts";
import { cleanLines } from "../../shared/texts.ts";
import { parts } from "../untrusted-text.ts";

/** What a caller wants to see, or to see moving. */
export type ShotWish = {
  readonly prompt: string;
  /** What must not be seen; may be empty. */
  readonly negativePrompt: string;
  /** How to go about it. Empty for the built-in words. */
  readonly instruction: string;
  readonly styleGuide?: StyleGuide;
};

const builtIn = defaultPrompts("blank");

/** Everything that an image model should know, in one text: none of them has a place of its own for any of it. */
export function imagePrompt(wish: ShotWish): string {
  const { prompt, instruction, styleGuide = {} } = wish;
  const style = [
    line("Tone", [styleGuide.tone]),
    line("Main colors", (styleGuide.color_palette ?? []).map(namedColor)),
    line("Camera", [styleGuide.camera_style]),
    line("Must be in the picture", styleGuide.must_include),
  ];
  return parts(
    cleanLines(instruction) || builtIn.imageSystemPrompt,
    section("The style of the film", style),
    `What the picture shows\n${cleanLines(prompt)}`,
    sentence("Leave out of the picture", avoided(wish)),
  );
}

/** The same for a model that sets a picture in motion: what the picture shows already needs no words. */
export function videoPrompt(wish: ShotWish): string {
  const { prompt, instruction, styleGuide = {} } = wish;
  const style = [
    line("Tone", [styleGuide.tone]),
    line("Tempo", [styleGuide.tempo]),
    line("Camera", [styleGuide.camera_style]),
  ];
  return parts(
    cleanLines(instruction) || builtIn.videoSystemPrompt,
    section("The style of the film", style),
    `What happens in this shot\n${cleanLines(prompt)}`,
    sentence("Keep out of the shot", avoided(wish)),
  );
}

/** What must not be seen, each thing once, from the wish and from the style guide; empty when nothing is. */
export function avoided({ negativePrompt, styleGuide }: ShotWish): string {
  const wished = negativePrompt.split(/[,;\n]/);
  return unique([...wished, ...(styleGuide?.must_avoid ?? [])]).join(", ");
}

/** Models know colors by their names better than by their numbers. */
const namedColor = (color: string) => (parseColor(color) ? `${colorName(color)} (${color.trim()})` : color);

type Words = readonly (string | undefined)[] | undefined;

const line = (heading: string, words: Words): string => {
  const said = unique(words).join(", ");
  return said && `- ${heading}: ${said}`;
};

const section = (heading: string, lines: readonly string[]): string => {
  const said = lines.filter(Boolean);
  return said.length > 0 ? [heading, ...said].join("\n") : "";
};

const sentence = (heading: string, words: string): string => words && `${heading}: ${words}.`;

/** Each on one line, without regard to capitals. */
function unique(words: Words = []): readonly string[] {
  const lines = words.map((text) => cleanLines(text ?? "").replace(/\s+/g, " ")).filter(Boolean);
  return [...new Map(lines.map((text) => [text.toLowerCase(), text])).values()];
}
