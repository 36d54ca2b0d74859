import { captionFontSize } from "../../../engine/timeline/captions/columns.ts";
import { captionPlace } from "../../../engine/timeline/captions/overlays.ts";
import { brandOf } from "../../brand/brand.ts";
import type { ExportRequest } from "../../exports/request/schema.ts";
import { pageIn, priceIn } from "../../language/offers.ts";
import type { Project } from "../../projects/projects.ts";
import { spokenText } from "../../speech/spoken-text.ts";
import type { TrackAction } from "../../works/editor-state.ts";
import type { ScenarioScene, Work } from "../../works/works.ts";
import type { FilmOrder, FilmPlan } from "../film.ts";
import { drawnObject, filmCanvases, lookSeed, sceneColors } from "../look/design.ts";
import { filmPalette, inkOn } from "../look/palette.ts";
import { type Placed, type TitleFrame, titleFrame } from "../look/titles.ts";
import { sceneWords } from "../look/words.ts";
import { tells } from "../unshown.ts";
import { isDrawn } from "./scene-pictures.ts";

export const isSpoken = ({ voice_text = "", text_overlay = "" }: ScenarioScene): boolean =>
  spokenText(voice_text) !== "" || spokenText(text_overlay) !== "";

/** Spoken words are captions, and so are words of an order with a caption style. */
export const hasCaptions = ({ captions, models }: FilmOrder): boolean =>
  captions !== undefined && (models.speech !== undefined || Object.keys(captions).length > 0);

/** True if a label at the top says that a machine made parts of the film: words stand below it. */
const isLabelled = ({ models }: FilmOrder): boolean =>
  Object.values(models).some((model) => model.provider !== "local");

export type Composing = {
  readonly film: FilmPlan;
  readonly project: Project;
  /** The parts for which a template has words. */
  readonly covers?: { readonly opening: boolean; readonly end: boolean };
  /** The film's export besides its clips, texts and images; exports of the work contain the same. */
  readonly requestOf?: (work: Work) => Pick<ExportRequest, "captions" | "voice" | "audio" | "options">;
  /** Scenes end on these, in seconds, where they are near. */
  readonly beats?: readonly number[];
};

export type Clip = TrackAction & {
  /** The index of its scene in the work. */
  readonly workIndex: number;
  /** True if the film lays it out; otherwise it stays as saved. */
  readonly isOpen: boolean;
};

type Track = { readonly clips: readonly Clip[]; readonly drawn: readonly boolean[] };

/** The titles of a clip, and whether captions are shown with them. */
type SceneTitles = { readonly placed: readonly Placed[]; readonly isCaptioned: boolean };

/** The titles of each clip. Captions follow the voice: a scene has none only if its titles show the same words. */
export function sceneTitles(
  { film, project, covers }: Composing,
  work: Work,
  { clips, drawn }: Track,
): readonly SceneTitles[] {
  const { order } = film;
  const palette = filmPalette(project.styleGuide, lookSeed(order, work));
  const [canvas] = filmCanvases(work, order.targets);
  if (!canvas) return [];
  const frame = titleFrame(canvas);
  const brand = brandOf(project.styleGuide);
  const facts = factsOf(film, work);
  const captioned = hasCaptions(order);
  const free = captioned ? besideCaptions(frame, film, project, work) : frame;
  return clips.map(({ start, end, workIndex: index, isOpen }, at): SceneTitles => {
    const scene = work.scenes[index];
    const bare = { placed: [], isCaptioned: captioned };
    if (!isOpen || !scene) return bare;
    const place = placeOf(at, clips.length);
    // the brand or the template has its own titles
    if (place !== "middle" && covers?.[place]) return bare;
    if ((place === "opening" && brand?.intro) || (place === "end" && brand?.endCard)) return bare;
    // without captions only the product's name and the call appear on screen
    if (place === "middle" && order.captions === undefined) return bare;
    const onPictures = !drawn[at];
    const hasLogo = facts.logo !== undefined;
    const colors = onPictures ? sceneColors(palette, 0, 2) : sceneColors(palette, at, clips.length, hasLogo);
    const words = {
      ...{ ...facts, onPictures, isCaptioned: false },
      hasObject: !onPictures && drawnObject(work) !== undefined,
      isShared: order.targets.length > 1,
      isLabelled: isLabelled(order),
    };
    const shown = { scene, place, index, start, end, colors };
    const whole = sceneWords(frame, words, shown);
    if (!captioned) return { placed: whole, isCaptioned: false };
    const texts = whole.flatMap(({ overlay }) => ("text" in overlay ? [String(overlay.text)] : []));
    // the caller's own words are different ones
    const isTold = place !== "middle" && ofScenes(order) && tells(texts, saidIn(scene));
    if (isTold) return { placed: whole, isCaptioned: false };
    return { placed: sceneWords(free, { ...words, isCaptioned: true }, shown), isCaptioned: true };
  });
}

/** The spoken text of a scene, or the text that is captioned instead. */
export const saidIn = ({ voice_text = "", text_overlay = "" }: ScenarioScene): string =>
  spokenText(voice_text) || spokenText(text_overlay);

const ofScenes = ({ captions: { from, words, srt, vtt, assetId } = {} }: FilmOrder): boolean =>
  from === "script" || from === "voice" || (from ?? words ?? srt ?? vtt ?? assetId) === undefined;

/** Shares of the captions' font size: of a line, and of the space around the lines. */
const captionLine = 1.3;
const captionMargin = 0.8;

/** The larger part of the zone above or below the captions. */
function besideCaptions(frame: TitleFrame, film: FilmPlan, project: Project, work: Work): TitleFrame {
  const { canvas, zone } = frame;
  const { captions = {} } = film.order;
  const {
    position = filmCaptionStyle(film, project, work).position,
    maxLines = 2,
    fontSize,
    safeZone = true,
  } = captions;
  const style = { fontSize: fontSize === undefined ? undefined : fontSize / Math.min(canvas.width, canvas.height) };
  const height = captionFontSize(style, canvas) * (maxLines * captionLine + captionMargin);
  const { box, edge } = captionPlace({ position, keepsSafeZone: safeZone }, canvas);
  const top = edge === "top" ? box.y : edge === "bottom" ? box.y + box.height - height : edge.centerY - height / 2;
  const above = Math.max(0, Math.min(zone.height, top - zone.y));
  const below = Math.max(0, Math.min(zone.height, zone.y + zone.height - top - height));
  const y = above > below ? zone.y : zone.y + zone.height - below;
  return { ...frame, zone: { ...zone, y, height: Math.max(above, below) } };
}

const placeOf = (at: number, count: number): "opening" | "middle" | "end" =>
  at === 0 ? "opening" : at === count - 1 ? "end" : "middle";

/** The name, address and price in the brief. Adds nothing. */
function factsOf({ order }: FilmPlan, { productName, productDescription }: Work) {
  const { url, text = "" } = order.brief;
  const address = url === undefined ? pageIn(text) : hostOf(url);
  const price = priceIn(text) ?? priceIn(productDescription);
  const { logo } = order.found ?? {};
  return { name: productName, address: address ?? "", price: price ?? "", ...(logo && { logo }) };
}

function hostOf(url: string): string | undefined {
  const { hostname } = URL.parse(/^[a-z]+:\/\//i.test(url) ? url : `https://${url}`) ?? {};
  // nobody remembers a numeric address
  return hostname && /\p{L}/u.test(hostname.split(".").at(-1) ?? "") ? hostname.replace(/^www\./, "") : undefined;
}

/** The style of captions without one in the order: in the film's colors, above the product. */
export function filmCaptionStyle(film: FilmPlan, project: Project, work: Work) {
  const palette = filmPalette(project.styleGuide, lookSeed(film.order, work));
  const { dark } = palette;
  const isBelow = isDrawn(film, work, 0) && drawnObject(work) === undefined;
  return {
    style: "karaoke" as const,
    position: isBelow ? { y: 0.42 } : isLabelled(film.order) ? { y: 0.27 } : ("top" as const),
    colors: { text: inkOn(dark, palette), active: palette.accent, background: dark },
  };
}
