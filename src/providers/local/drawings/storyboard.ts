import type { StoryboardRequest } from "../../../domain/ai/generation/local-generator.ts";
import { newCanvas } from "../../../engine/drawing/new-canvas.ts";
import type { StoryboardFrame } from "./backdrop.ts";
import { paintCaption } from "./caption.ts";
import { captionText, forbidsText } from "./caption-text.ts";
import { schemesOf } from "./color-schemes.ts";
import { drawDesign } from "./draw-design.ts";
import { paintGrain } from "./grain.ts";
import { paintBands, paintBurst, paintRidges, paintSunrise } from "./landscapes.ts";
import { frameLayout } from "./layout.ts";
import { paintArches, paintOrbit, paintRings, paintTiles } from "./objects.ts";
import { paintPlinths } from "./plinths.ts";
import { propOf } from "./props.ts";
import { seededRandom } from "./random.ts";

/** Paints everything except the caption; `isHard` asks for straight edges instead of round ones. */
type Composition = (frame: StoryboardFrame, isHard: boolean) => void;

type FramingStyle = {
  readonly framing: RegExp;
  readonly round: readonly Composition[];
  readonly hard: readonly Composition[];
};

/** Wider framings show more. A prompt without a framing gets any of these. */
const styles: readonly FramingStyle[] = [
  { framing: /^(?!.*medium).*(close|detail)/i, round: [paintOrbit, paintRings], hard: [paintTiles, paintRings] },
  { framing: /macro/i, round: [paintRings, paintOrbit], hard: [paintRings, paintBurst] },
  { framing: /hero|product|pack ?shot/i, round: [paintPlinths], hard: [paintPlinths] },
  { framing: /wide|establish|landscape|aerial|long shot/i, round: [paintRidges], hard: [paintRidges] },
  { framing: /medium close|portrait/i, round: [paintSunrise, paintBurst], hard: [paintBurst, paintSunrise] },
  { framing: /medium|full shot|american shot/i, round: [paintArches, paintTiles], hard: [paintBands, paintArches] },
  { framing: /flat lay|overhead|top/i, round: [paintTiles], hard: [paintTiles] },
];

const energetic = /energ|bold|fast|quick|dynamic|playful|punch|loud|sport|lively|vibrant|upbeat|exci|edgy|young|urban/i;
const calm = /calm|soft|gentle|elegan|minimal|quiet|seren|luxur|premium|cozy|natur|warm|relax|tender|peace|trust/i;

/** Energetic tones get hard shapes, calm ones round shapes. */
function isHardTone(tone: string, random: number): boolean {
  return energetic.test(tone) === calm.test(tone) ? random < 0.4 : energetic.test(tone);
}

/** The framing decides scheme and style, so that framings which often follow each other differ; else chance decides. */
function chooseStyle(label: string, { palette, tone }: StoryboardRequest, random: () => number) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!; // safe because none is empty
  const schemes = schemesOf(palette);
  const randomScheme = pick(schemes);
  const randomStyle = pick(styles);
  const isHard = isHardTone(tone, random());
  const index = styles.findIndex(({ framing }) => framing.test(label));
  const style = styles[index] ?? randomStyle;
  const scheme = schemes[index % schemes.length] ?? randomScheme;
  return { scheme, compose: pick(isHard ? style.hard : style.round), isHard };
}

/** Draws a frame as PNG. Deterministic: the prompt seeds all random choices. */
export async function drawStoryboard(request: StoryboardRequest): Promise<Uint8Array> {
  const { resolution, prompt, avoid, design } = request;
  if (design) return await drawDesign(resolution, design);
  const random = seededRandom(prompt);
  const text = captionText(prompt);
  const { scheme, compose, isHard } = chooseStyle(text.label, request, random);
  const context = newCanvas(resolution.width, resolution.height).getContext("2d");
  const layout = frameLayout(resolution);
  compose({ context, layout, scheme, random, prop: propOf(prompt) }, isHard);
  paintGrain(context);
  if (!forbidsText(avoid)) await paintCaption(context, layout, scheme, text);
  return await context.canvas.encode("png");
}
