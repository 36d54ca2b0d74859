import { captionFontSize } from "../../../engine/timeline/captions/columns.ts";
import { captionPlace } from "../../../engine/timeline/captions/overlays.ts";
import type { FocusPoint } from "../../../engine/timeline/focus.ts";
import type { Box } from "../../../engine/timeline/overlay.ts";
import { safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { Asset } from "../../assets/assets.ts";
import { brandOf } from "../../brand/brand.ts";
import { readingSeconds } from "../../exports/request/reading-time.ts";
import type { ExportRequest } from "../../exports/request/schema.ts";
import { pageIn, priceIn } from "../../language/offers.ts";
import type { Looks } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import { spokenText } from "../../speech/spoken-text.ts";
import type { TrackAction } from "../../works/editor-state.ts";
import type { ScenarioScene, Work } from "../../works/works.ts";
import type { FilmOrder, FilmPlan } from "../film.ts";
import { filmCanvases, filmLook, pictureColors, sceneColors } from "../look/film-look.ts";
import { type LayoutCard, layoutCard, type SceneFrame, unitOf } from "../look/layout-card.ts";
import { inkOn } from "../look/palette.ts";
import type { PlacedEffect } from "../look/scene-layers.ts";
import { type SceneLayers, sceneLayers } from "../look/scene-layers.ts";
import { arrived } from "../look/scene-motion.ts";
import { type FilmFacts, filmWords, placeOf } from "../look/scene-words.ts";
import { inTargets } from "../look/target-layers.ts";
import type { EffectSound } from "../sound/effects.ts";
import { tells } from "../unshown.ts";
import type { BeatGrid, Rhythm } from "./beats.ts";
import { framedPicture, isDrawn } from "./scene-pictures.ts";

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
  readonly looks: Looks;
  /** The pictures that the work has chosen. */
  readonly assets: readonly Asset[];
  /** The middles of the photos' subjects, by asset. */
  readonly focuses?: ReadonlyMap<string, FocusPoint>;
  /** The drawing of what the film is about, as SVG. */
  readonly subject?: string | undefined;
  /** The parts for which a template has words. */
  readonly covers?: { readonly opening: boolean; readonly end: boolean };
  /** The film's export besides its clips, texts and images; exports of the work contain the same. */
  readonly requestOf?: (work: Work) => Pick<ExportRequest, "captions" | "voice" | "audio" | "options">;
  /** The sounds of effects; absent if the film has none. */
  readonly soundsOf?: ((placed: readonly PlacedEffect[]) => readonly EffectSound[]) | undefined;
  /** The rhythm of the music: scenes end on its beats where these are near. */
  readonly rhythm?: Rhythm;
};

export type Clip = TrackAction & {
  /** The index of its scene in the work. */
  readonly workIndex: number;
  /** True if the film lays it out; otherwise it stays as saved. */
  readonly isOpen: boolean;
};

type Track = {
  readonly clips: readonly Clip[];
  readonly drawn: readonly boolean[];
  readonly grid?: BeatGrid | undefined;
  /** The seconds of the transition after a clip. */
  transitionAfter(at: number): number;
};

/** The boxes of a layout in its frame; none where only the words count. */
export type BoxesOf = (card: LayoutCard, canvas: Canvas) => Readonly<Record<string, Box>> | undefined;

/** The titles of a clip, and whether captions are shown with them. */
type SceneTitles = SceneLayers & { readonly isCaptioned: boolean };

/** The titles of each clip. Captions follow the voice: a scene has none only if its titles show the same words. */
export function sceneTitles(
  { film, project, looks, assets, focuses, subject, covers }: Composing,
  work: Work,
  { clips, drawn, grid, transitionAfter }: Track,
  boxesOf: BoxesOf,
): readonly SceneTitles[] {
  const { order } = film;
  const set = filmLook(looks, order, project.styleGuide, work);
  const frames = filmCanvases(work, order.targets).map((canvas) => ({ canvas, zone: wordZone(film, canvas) }));
  const brand = brandOf(project.styleGuide);
  const facts = filmFacts(film, work);
  const captioned = hasCaptions(order);
  const words = wordsOf(facts, work, clips);
  const free = captioned ? frames.map((frame) => besideCaptions(frame, film, project, looks, work)) : frames;
  return clips.map(({ start, end, workIndex: index, isOpen }, at): SceneTitles => {
    const scene = work.scenes[index];
    const bare = { texts: [], images: [], layers: [], effects: [], isCaptioned: captioned };
    if (!isOpen || !scene) return bare;
    const place = placeOf(at, clips.length);
    // the brand or the template has its own titles
    if (place !== "middle" && covers?.[place]) return bare;
    if ((place === "opening" && brand?.intro) || (place === "end" && brand?.endCard)) return bare;
    // without captions only the product's name and the call appear on screen
    if (place === "middle" && order.captions === undefined) return bare;
    const isOnPicture = !drawn[at];
    const hasLogo = facts.logo !== undefined;
    const colors = isOnPicture ? pictureColors(set) : sceneColors(set, at, clips.length, hasLogo);
    const said = words[at]!; // safe because each clip has some
    const { layout } = said;
    const transition = at === 0 ? 0 : transitionAfter(at - 1);
    const times = { index, start, end, transition, leaving: transitionAfter(at), ...(grid && { grid }) };
    const setIn = (where: readonly SceneFrame[], words: Readonly<Record<string, string>>): SceneTitles => {
      const framed = framedPicture(work, index, assets, order.targets);
      const picture = framed && { ...framed, focus: focuses?.get(framed.assetId) };
      const drawn = { picture, ...(!isOnPicture && !picture && { subject }) };
      const isArtApart = !isOnPicture && where.length > 1;
      const logo = facts.logo;
      const design = { look: set.look, layout, words, colors, isOnPicture, isArtApart, ...drawn, logo, turn: at };
      const [first, ...others] = where.map((frame, target) => {
        const boxes = boxesOf(layoutCard(design, frame), frame.canvas);
        // safe because each target has a frame
        return { target: order.targets[target]!, layers: sceneLayers(design, frame, boxes, times) };
      });
      return first ? { ...inTargets(first, others), isCaptioned: captioned } : bare;
    };
    if (!captioned) return setIn(frames, said.words);
    // the caller's own words are different ones
    const isTold = place !== "middle" && ofScenes(order) && tells(Object.values(said.words), saidIn(scene));
    if (isTold) return { ...setIn(frames, said.words), isCaptioned: false };
    if (place === "middle") return bare;
    const { sub: _, ...beside } = said.words;
    return setIn(free, place === "opening" ? { ...beside, headline: facts.name || beside.headline || "" } : said.words);
  });
}

/** The seconds that each clip needs for its words. They are read once most of its picture has come. */
export function wordSeconds(
  { film }: Pick<Composing, "film">,
  work: Work,
  clips: readonly Pick<Clip, "workIndex">[],
  transitionAfter: Track["transitionAfter"],
): readonly number[] {
  const facts = filmFacts(film, work);
  const captioned = hasCaptions(film.order);
  const words = wordsOf(facts, work, clips);
  return clips.map(({ workIndex }, at) => {
    const scene = work.scenes[workIndex];
    if (!scene) return 0;
    const isSpoken = captioned && placeOf(at, clips.length) === "middle";
    const said = isSpoken ? [saidIn(scene)] : Object.values(words[at]?.words ?? {});
    const reading = Math.max(0, ...said.map(readingSeconds));
    return reading === 0 ? 0 : reading + (at === 0 ? 0 : arrived * transitionAfter(at - 1)) + roundingSeconds;
  });
}

const wordsOf = (facts: FilmFacts, { scenes }: Work, clips: readonly Pick<Clip, "workIndex">[]) =>
  filmWords(
    facts,
    clips.map(({ workIndex }) => scenes[workIndex] ?? {}),
  );

/** Reading is measured between whole frames. */
const roundingSeconds = 0.1;

/** Words stand below the label of generated parts. */
function wordZone({ order }: FilmPlan, canvas: Canvas): Box {
  const zone = safeZoneOf(canvas);
  const label = isLabelled(order) ? labelHeight * unitOf(canvas) : 0;
  return { ...zone, y: zone.y + label, height: zone.height - label };
}

/** In units of layouts. */
const labelHeight = 92;

/** The spoken text of a scene, or the text that is captioned instead. */
export const saidIn = ({ voice_text = "", text_overlay = "" }: ScenarioScene): string =>
  spokenText(voice_text) || spokenText(text_overlay);

const ofScenes = ({ captions: { from, words, srt, vtt, assetId } = {} }: FilmOrder): boolean =>
  from === "script" || from === "voice" || (from ?? words ?? srt ?? vtt ?? assetId) === undefined;

/** Shares of the captions' font size: of a line, and of the space around the lines. */
const captionLine = 1.3;
const captionMargin = 0.8;

/** The larger part of the zone above or below the captions. */
function besideCaptions(frame: SceneFrame, film: FilmPlan, project: Project, looks: Looks, work: Work): SceneFrame {
  const { canvas, zone } = frame;
  const { captions = {} } = film.order;
  const {
    position = filmCaptionStyle(film, project, looks, work).position,
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

/** The name, address and price in the brief. Adds nothing. */
export function filmFacts({ order }: Pick<FilmPlan, "order">, { productName, productDescription }: Work): FilmFacts {
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

/** The style of captions without one in the order: in the film's colors, below the words of drawn scenes. */
export function filmCaptionStyle(film: FilmPlan, project: Project, looks: Looks, work: Work) {
  const { palette } = filmLook(looks, film.order, project.styleGuide, work);
  const { dark } = palette;
  const position = isDrawn(film, work, 0, []) ? { y: 0.42 } : isLabelled(film.order) ? { y: 0.27 } : ("top" as const);
  return {
    style: "karaoke" as const,
    position,
    colors: { text: inkOn(dark, palette), active: palette.accent, background: dark },
  };
}
