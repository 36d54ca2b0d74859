import { type Region, restOf, type Stretch } from "../../../engine/ports.ts";
import { captionOverlays } from "../../../engine/timeline/captions/overlays.ts";
import { tooFastFrom } from "../../../engine/timeline/captions/speed.ts";
import { type CaptionPage, lineText } from "../../../engine/timeline/captions/track.ts";
import { estimatedBox, movedInto } from "../../../engine/timeline/estimate.ts";
import type { Box, Overlay } from "../../../engine/timeline/overlay.ts";
import { type FrameRate, toSeconds } from "../../../engine/timeline/time.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { colorDistance, contrastRatio, parseColor } from "../../../platform/colors.ts";
import { yieldIfBusy } from "../../../platform/cpu.ts";
import { sum, toTenThousandths } from "../../../platform/values.ts";
import { pagesOn } from "../../captions/video.ts";
import type { CompleteRequest } from "../../exports/request/fill-from-editor.ts";
import type { ExportLayout } from "../../exports/request/resolve.ts";
import { hasGeneratedSounds, type SoundReferences } from "../../exports/request/sounds.ts";
import type { TargetLayout, VisibleText } from "../../exports/request/validation/target-layouts.ts";
import { ownContrastOf } from "../../exports/request/validation/text-warnings.ts";
import type { FilmFacts, OffColor, ShownBox, ShownCaptions, ShownText } from "../film-facts.ts";
import { overlaps } from "../finding.ts";
import { hasPhrase, maxSearchedCharacters, normalized, normalizedWithin, phrasesIn } from "../phrases.ts";
import type { GateRules } from "../schema.ts";

/** The resolved request to check. */
export type CheckedExport = {
  readonly request: CompleteRequest;
  readonly layout: ExportLayout;
  readonly sounds: SoundReferences;
};

/** The facts of one video, except measurements of its file. Yields to other requests. */
export async function factsOf(
  { request, layout, sounds }: CheckedExport,
  target: TargetLayout,
  rules: GateRules,
): Promise<Omit<FilmFacts, "video">> {
  const { timeline, generatedFrom, recorded } = layout;
  const isInFrame = ({ box }: ShownBox) => overlaps({ x: 0, y: 0, ...target.canvas }, box);
  const texts = target.texts.flatMap((text) => shownText(text, layout)).filter(isInFrame);
  const captions = shownCaptions(target);
  const logoPaths = pathsOf(request, rules.logo?.assetId);
  const images = shownImages(target, layout).filter(isInFrame);
  const logos = images.filter(({ path }) => logoPaths?.includes(path));
  const said = [
    ...texts.map(({ text }) => text),
    captionText(target),
    ...recorded.voices.map(({ speech }) => speech?.text ?? ""),
  ];
  return {
    canvas: target.canvas,
    texts,
    label: texts.find(({ path, text }) => path === labelPath && normalized(text) !== ""),
    captions,
    offColors: offColors(request, rules.palette),
    logos: logoPaths && logos,
    images: images.filter((image) => !logos.includes(image) && !logos.some((logo) => contains(image.box, logo.box))),
    // no phrase spans two texts
    said: await phrasesIn((await normalizedWithin(said)).join(" · "), [
      ...(rules.mustSay ?? []),
      ...(rules.mustNotSay ?? []),
    ]),
    isSearchedWhole: sum(said.map(({ length }) => length)) <= maxSearchedCharacters,
    legal: await legalLines(texts, rules),
    generatedFrom: hasGeneratedSounds(sounds) ? 0 : generatedFrom && toSeconds(generatedFrom, timeline.rate),
  };
}

/** The texts that show each legal line. */
async function legalLines(texts: readonly ShownText[], { legal = [] }: GateRules): Promise<FilmFacts["legal"]> {
  if (legal.length === 0) return new Map();
  const words = await normalizedWithin(texts.map(({ text }) => text));
  const found = new Map<string, readonly ShownText[]>();
  for (const { text } of legal) {
    const line = normalized(text);
    found.set(
      text,
      texts.filter((_, index) => hasPhrase(words[index] ?? "", line)),
    );
    await yieldIfBusy();
  }
  return found;
}

/** The field of the label of AI, which is one of the texts. */
export const labelPath = "options.disclosure";

const timesOf = ({ range }: Pick<Overlay, "range">, { timeline: { rate } }: ExportLayout): Stretch => ({
  start: toSeconds(range.start, rate),
  end: toSeconds(range.end, rate),
});

function shownText({ path, ink, overlay, content }: VisibleText, layout: ExportLayout): readonly ShownText[] {
  const { text, style, scale = 1 } = content;
  const isTransparent = style.fontColor.alpha === 0 && !style.stroke;
  if (!ink || isTransparent || overlay.opacity === 0) return [];
  const fontSize = style.fontSize * scale;
  const ownContrast = ownContrastOf(style)?.best;
  return [
    {
      path,
      text,
      box: overlay.within ? movedInto(ink, overlay.within) : ink,
      fontSize,
      ownContrast,
      ...timesOf({ range: restOf(overlay, layout.timeline.rate) }, layout),
    },
  ];
}

function shownCaptions({ captions: film, canvas }: TargetLayout): ShownCaptions | undefined {
  if (!film) return undefined;
  const pages = pagesOn(canvas, film);
  if (pages.length === 0) return undefined;
  const overlays = captionOverlays(film.captions, { ...film, canvas });
  const longestLine = Math.max(...pages.map(lengthOf));
  const mostLines = Math.max(...pages.map(({ lines }) => lines.length));
  const tooFast = tooFastFrom(pages, film.rate).map((frame) => toSeconds(frame, film.rate));
  return { tooFast, longestLine, mostLines, pages: overlays.map((overlay) => shownPage(overlay, film.rate)) };
}

const lengthOf = ({ lines }: CaptionPage): number => Math.max(0, ...lines.map((line) => [...lineText(line)].length));

function shownPage(overlay: Overlay, rate: FrameRate): ShownBox {
  const { start, end } = overlay.range;
  return { path: "captions", box: estimatedBox(overlay), start: toSeconds(start, rate), end: toSeconds(end, rate) };
}

const captionText = ({ captions, canvas }: TargetLayout): string =>
  captions
    ? pagesOn(canvas, captions)
        .flatMap(({ lines }) => lines.map(lineText))
        .join(" ")
    : "";

/** The limit of the CIEDE2000 distance; most people see smaller ones as the same color. */
const maxColorDistance = 5;

/** Checks the colors that a request names; ignores shadows. */
function offColors(
  { texts = [], captions }: CompleteRequest,
  palette: readonly string[] | undefined,
): readonly OffColor[] | undefined {
  const allowed = palette?.flatMap((text) => parseColor(text) ?? []);
  if (!allowed) return undefined;
  const named = [
    ...texts.flatMap(({ fontColor, background, strokeColor, strokeWidth = 0 }, index) =>
      Object.entries({ fontColor, background, ...(strokeWidth > 0 && { strokeColor }) }).map(
        ([field, color]) => [`texts.${index}.${field}`, color] as const,
      ),
    ),
    ...Object.entries(captions?.colors ?? {}).map(([field, color]) => [`captions.colors.${field}`, color] as const),
  ];
  return named.flatMap(([path, given]): OffColor[] => {
    const color = given === undefined ? undefined : parseColor(given);
    if (given === undefined || !color || color.alpha === 0) return [];
    return allowed.some((own) => colorDistance(own, color) <= maxColorDistance) ? [] : [{ path, color: given }];
  });
}

const pathsOf = ({ images = [] }: CompleteRequest, logoId: string | undefined): readonly string[] | undefined =>
  logoId === undefined
    ? undefined
    : images.flatMap(({ assetId }, index) => (assetId === logoId ? [`images.${index}`] : []));

const shownImages = ({ overlays }: TargetLayout, layout: ExportLayout): readonly ShownBox[] =>
  overlays.flatMap(({ path, overlay }): ShownBox[] => {
    if (overlay?.content.kind !== "image" || overlay.opacity === 0) return [];
    return [{ path, box: estimatedBox(overlay), ...timesOf(overlay, layout) }];
  });

const contains = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

const black = { red: 0, green: 0, blue: 0, alpha: 1 };

/** The regions in which to measure the ground of each text; none for a text with its own ground. */
export function regionsOf(texts: readonly ShownText[], { texts: visible }: TargetLayout, canvas: Canvas): Region[] {
  const colors = new Map(visible.map(({ path, content }) => [path, content.style.fontColor]));
  return texts.map(({ path, box, start, end, ownContrast }) => ({
    x: toTenThousandths(box.x / canvas.width),
    y: toTenThousandths(box.y / canvas.height),
    width: toTenThousandths(box.width / canvas.width),
    height: toTenThousandths(box.height / canvas.height),
    start: toTenThousandths(start),
    end: ownContrast === undefined ? toTenThousandths(end) : toTenThousandths(start),
    // the inverse of the formula for the contrast to black
    luminance: toTenThousandths((contrastRatio({ ...(colors.get(path) ?? black), alpha: 1 }, black) - 1) * 0.05),
  }));
}
