import { isUnspaced } from "../../../engine/timeline/captions/scripts.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { targetCanvas } from "../../exports/request/targets.ts";
import type { Look, Looks } from "../../looks/looks.ts";
import type { StyleGuide } from "../../projects/projects.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import type { Work } from "../../works/works.ts";
import {
  emphasisOn,
  type FilmPalette,
  filmPalette,
  inkOn,
  onEmphasis,
  readableGround,
  shapeOn,
  sumOfCodes,
} from "./palette.ts";

/** The look of a film with the colors that it has there. */
export type FilmLook = { readonly look: Look; readonly palette: FilmPalette };

type LookOrder = {
  readonly look?: string | undefined;
  readonly lookSeed?: string | undefined;
  readonly palette?: FilmPalette | undefined;
};

/** The look that an order names, or else the one that fits its words best; the seed chooses among equal ones. */
export function filmLook(looks: Looks, order: LookOrder, styleGuide: StyleGuide | undefined, work: Work): FilmLook {
  const seed = order.lookSeed ?? work.productName;
  // the films of a table share their look in every language
  const said = order.lookSeed ?? [work.productName, work.productDescription, styleGuide?.tone].join(" ");
  const look = looks.get(order.look ?? "") ?? fittingLook(looks, said.toLowerCase(), seed);
  return { look, palette: order.palette ?? filmPalette(styleGuide, seed, look.palettes) };
}

/** Shorter words begin many others. */
const shortestStart = 4;

/** True if the text has the word, or one that begins with it; in scripts without spaces, anywhere. */
export function names(text: string, word: string): boolean {
  if (isUnspaced(word)) return text.includes(word);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + word.length]];
    const isEnd = word.length >= shortestStart || !/\p{L}/u.test(after);
    if (isEnd && !/\p{L}/u.test(before)) return true;
  }
  return false;
}

function fittingLook(looks: Looks, text: string, seed: string): Look {
  const scored = [...looks.values()].map((look) => ({
    look,
    score: look.fits.filter((word) => names(text, word.toLowerCase())).length,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  // a project's own look is taken only where its words fit
  const fitting = scored.filter(({ score, look }) => score === best && (best > 0 || look.previewPath !== undefined));
  // safe because there is an installed look, and the remainder is one of the indexes
  return fitting[sumOfCodes(seed) % fitting.length]!.look;
}

export type SceneColors = {
  readonly ground: string;
  readonly ink: string;
  readonly emphasis: string;
  readonly shape: string;
  readonly second: string;
  /** The color on the shape. */
  readonly onShape: string;
  /** The color on the emphasis. */
  readonly onEmphasis: string;
};

export const colorOf = (colors: SceneColors, name: string): string =>
  ({ ...colors, "on-shape": colors.onShape, "on-emphasis": colors.onEmphasis })[name] ?? colors.ink;

/** The colors of a scene on the ground that its look gives it. Logos stand on light grounds. */
export function sceneColors(
  { look: { grounds }, palette }: FilmLook,
  scene: number,
  sceneCount: number,
  hasLogo = false,
): SceneColors {
  const { lead, accent, dark, light } = palette;
  const { opening, between, end } = grounds;
  const isLast = scene === sceneCount - 1;
  // safe because the remainder is one of the indexes
  const name = isLast ? end : scene === 0 ? opening : between[(scene - 1) % between.length]!;
  const ground = readableGround(hasLogo && isLast ? light : palette[name], palette);
  // a dark ground shows the brand's color best
  const isOwn = accent !== light && accent !== dark;
  const shape = readableGround(
    shapeOn(ground, ground === dark && !isOwn ? [lead, light] : [accent, lead, light]),
    palette,
  );
  const others = ground === dark ? [lead, light] : [light, lead, dark];
  const second = shapeOn(
    ground,
    others.filter((color) => color !== shape),
  );
  const emphasis = emphasisOn(ground, palette);
  return {
    ground,
    ink: inkOn(ground, palette),
    emphasis,
    onEmphasis: hasLogo && isLast ? onEmphasis(emphasis, ground, palette) : ground,
    shape,
    second,
    onShape: inkOn(shape, palette),
  };
}

/** The colors of words on a picture, which a look darkens below them. */
export function pictureColors({ palette }: FilmLook): SceneColors {
  const { dark, light, lead, accent } = palette;
  const ground = dark;
  const emphasis = emphasisOn(ground, palette);
  return {
    ...{ ground, ink: inkOn(ground, palette), emphasis, onEmphasis: inkOn(emphasis, palette) },
    ...{ shape: lead, second: accent === dark ? light : accent, onShape: inkOn(lead, palette) },
  };
}

/** The frames of a film's videos, the work's own first. */
export const filmCanvases = (
  { resolution = defaultResolution }: Work,
  targets: readonly AspectRatio[],
): readonly Canvas[] => targets.map((target) => targetCanvas(target, resolution));

/** Contains the frames of all targets, so that each shows the middle of one picture. */
export const drawnSize = (canvases: readonly Canvas[]): Canvas => ({
  width: Math.max(...canvases.map(({ width }) => width)),
  height: Math.max(...canvases.map(({ height }) => height)),
});

/** The middle that the frames of all targets show, as shares of the drawn size. */
export function drawnCore(canvases: readonly Canvas[]): Canvas {
  const size = drawnSize(canvases);
  return {
    width: Math.min(...canvases.map(({ width }) => width)) / size.width,
    height: Math.min(...canvases.map(({ height }) => height)) / size.height,
  };
}
