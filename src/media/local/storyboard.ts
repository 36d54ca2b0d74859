import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { Studio } from "../../domain/ai/generation/local-generator.ts";
import { paintCaption } from "./caption.ts";
import { schemesOf } from "./colors.ts";
import type { Scene } from "./ground.ts";
import { paintArches, paintOrbit, paintPlinths, paintRings, paintTiles } from "./objects.ts";
import { chances, stageOf } from "./stage.ts";
import { paintBands, paintBurst, paintRidges, paintSunrise } from "./views.ts";
import { wordsOf } from "./words.ts";

type Wish = Parameters<Studio["drawStoryboard"]>[0];

type Composition = (scene: Scene, isHard: boolean) => void;

type Row = { readonly framing: RegExp; readonly round: readonly Composition[]; readonly hard: readonly Composition[] };

/** The more is to be seen, the wider the view. A frame whose words name no framing is of any of these. */
const rows: readonly Row[] = [
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

/** Soft tones ask for round shapes, lively ones for hard ones. */
function isHardTone(tone: string, chance: number): boolean {
  return energetic.test(tone) === calm.test(tone) ? chance < 0.4 : energetic.test(tone);
}

/** Framings that often follow each other have different schemes; without a framing chance decides. */
function lookOf(label: string, { palette, tone }: Wish, chance: () => number) {
  const schemes = schemesOf(palette);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!; // safe because none is empty
  const [anyScheme, anyRow, isHard] = [pick(schemes), pick(rows), isHardTone(tone, chance())];
  const found = rows.findIndex(({ framing }) => framing.test(label));
  const row = rows[found] ?? anyRow;
  return { scheme: schemes[found % schemes.length] ?? anyScheme, compose: pick(isHard ? row.hard : row.round), isHard };
}

/** Draws a frame as PNG; the words alone decide which of the palette's schemes and which composition it has. */
export async function drawFrame(wish: Wish, signal: AbortSignal): Promise<Uint8Array> {
  const { width, height } = wish.resolution;
  const chance = chances(wish.prompt);
  const words = wordsOf(wish.prompt);
  const { scheme, compose, isHard } = lookOf(words.label, wish, chance);
  const context = createCanvas(width, height).getContext("2d");
  const stage = stageOf(wish.resolution);
  compose({ context, stage, scheme, chance }, isHard);
  paintGrain(context);
  await paintCaption(context, stage, scheme, words);
  signal.throwIfAborted();
  return await context.canvas.encode("png");
}

const grainSide = 256;

/** By a level or two: without it, smooth light falls apart into steps once it is compressed. */
function paintGrain(context: SKRSContext2D): void {
  const grain = createCanvas(grainSide, grainSide);
  const pen = grain.getContext("2d");
  const pixels = pen.createImageData(grainSide, grainSide);
  const chance = chances("grain");
  for (let at = 0; at < pixels.data.length; at += 4) {
    pixels.data.fill(chance() < 0.5 ? 0 : 255, at, at + 3);
    pixels.data[at + 3] = Math.floor(chance() * 5);
  }
  pen.putImageData(pixels, 0, 0);
  // safe because a pattern is missing only for an image that has not loaded
  context.fillStyle = context.createPattern(grain, "repeat")!;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
}
