import { brandOf } from "../brand/brand.ts";
import type { Project } from "../projects/projects.ts";
import { addressIn, priceIn } from "../shared/offers.ts";
import { requireFound } from "../shared/versioned.ts";
import { spokenText } from "../speech/spoken-text.ts";
import type { EditorState, TrackAction } from "../works/editor-state.ts";
import type { WorkMediaStore } from "../works/media.ts";
import { editorStateWithTrack } from "../works/scene-track.ts";
import type { ScenarioScene, Work } from "../works/works.ts";
import type { Film, FilmOrder } from "./film.ts";
import { drawnObject, filmCanvases, sceneColors } from "./look/design.ts";
import { filmPalette, inkOn } from "./look/palette.ts";
import { type Placed, titleFrame } from "./look/titles.ts";
import { sceneWords, type WordsOfScene } from "./look/words.ts";
import { isDrawn } from "./scene-pictures.ts";

export const isSpoken = ({ voice_text = "", text_overlay = "" }: ScenarioScene): boolean =>
  spokenText(voice_text) !== "" || spokenText(text_overlay) !== "";

/** Words that a voice says are captions, and so are those of an order that says how captions look. */
export const hasCaptions = ({ captions, models }: FilmOrder): boolean =>
  captions !== undefined && (models.speech !== undefined || Object.keys(captions).length > 0);

/** The film says at its top that a machine made parts of it: words stand below that. */
const isLabelled = ({ models }: FilmOrder): boolean =>
  Object.values(models).some((model) => model.provider !== "local");

/** One family of transitions in a film: drawn grounds push each other away, pictures mix. */
const transitions = {
  drawn: { transitionType: "slideup", transitionDuration: 0.4 },
  pictures: { transitionType: "fade", transitionDuration: 0.4 },
} as const;

type Composing = {
  readonly film: Film;
  readonly project: Project;
  /** The parts that a template has words for. */
  readonly covers?: { readonly opening: boolean; readonly end: boolean };
};

/** Lays the scenes out in the work's editor, with their words over them, where they can be changed afterwards. */
export async function composeFilm(
  { workMedia }: { readonly workMedia: WorkMediaStore },
  composing: Composing,
  { projectId, id }: Work,
): Promise<Work> {
  const changed = await workMedia.changeWork(projectId, id, (work, media) => {
    const state = editorStateWithTrack({ ...work, editorState: undefined }, media);
    return { ...work, editorState: composed(composing, work, state), updatedAt: Date.now() };
  });
  return requireFound(changed);
}

function composed({ film, ...composing }: Composing, work: Work, state: EditorState): EditorState {
  const { order } = film;
  const { editorData } = state;
  const shown = editorData.videoTrack;
  // the numbers of a new work are the places of its scenes
  const scenes = shown.flatMap(({ sceneIndex = 0 }) => work.scenes[sceneIndex] ?? []);
  const drawn = shown.map(({ sceneIndex = 0 }) => isDrawn(film, work, sceneIndex));
  const family = drawn.every(Boolean) ? transitions.drawn : transitions.pictures;
  const captioned = hasCaptions(order);
  const isLast = (at: number) => at === shown.length - 1;
  const videoTrack = shown.map((action, at) => ({
    ...action,
    fit: drawn[at] || order.targets.length === 1 ? "cover" : "blur",
    ...(captioned && (at === 0 || isLast(at)) && { caption: false }),
    ...(!isLast(at) && family),
  }));
  const placed = scenes.length === shown.length ? wordsOf({ film, ...composing }, work, { scenes, shown, drawn }) : [];
  const [texts, images] = [placed.filter(isText), placed.filter((each) => !isText(each))];
  return {
    ...state,
    editorData: { ...editorData, videoTrack, textTrack: texts.map(actionOf), imageTrack: images.map(actionOf) },
    textOverlays: Object.fromEntries(texts.map(({ id, overlay }) => [id, overlay])),
    imageOverlays: Object.fromEntries(images.map(({ id, overlay }) => [id, overlay])),
  };
}

const isText = ({ overlay }: Placed): boolean => "text" in overlay;
const actionOf = ({ id, start, end }: Placed): TrackAction => ({ id, start, end });

type Track = {
  readonly scenes: readonly ScenarioScene[];
  readonly shown: readonly TrackAction[];
  readonly drawn: readonly boolean[];
};

function wordsOf({ film, project, covers }: Composing, work: Work, { scenes, shown, drawn }: Track): readonly Placed[] {
  const { order } = film;
  const palette = filmPalette(project.styleGuide, work.productName);
  const [canvas] = filmCanvases(work, order.targets);
  if (!canvas) return [];
  const frame = titleFrame(canvas);
  const brand = brandOf(project.styleGuide);
  const facts = factsOf(film, work);
  return shown.flatMap(({ start, end }, at) => {
    const place = placeOf(at, shown.length);
    // the brand or the template has its own
    if (place !== "middle" && covers?.[place]) return [];
    if ((place === "opening" && brand?.intro) || (place === "end" && brand?.endCard)) return [];
    // without captions the product is named and called for, and nothing else is on screen
    if (place === "middle" && order.captions === undefined) return [];
    const onPictures = !drawn[at];
    const colors = onPictures ? sceneColors(palette, 0, 2) : sceneColors(palette, at, shown.length);
    const words = {
      ...{ ...facts, onPictures, isCaptioned: hasCaptions(order) },
      hasObject: !onPictures && drawnObject(work) !== undefined,
      isShared: order.targets.length > 1,
      isLabelled: isLabelled(order),
    };
    // safe because there are as many scenes
    const scene: WordsOfScene = { scene: scenes[at]!, place, index: at, start, end, colors };
    return sceneWords(frame, words, scene);
  });
}

const placeOf = (at: number, count: number): "opening" | "middle" | "end" =>
  at === 0 ? "opening" : at === count - 1 ? "end" : "middle";

/** What the brief says of name, address and price. Nothing is added. */
function factsOf({ order }: Film, { productName, productDescription }: Work) {
  const { url, text = "" } = order.brief;
  const address = url === undefined ? addressIn(text) : hostOf(url);
  const price = priceIn(text || productDescription);
  const { logo } = order.found ?? {};
  return { name: productName, address: address ?? "", price: price ?? "", ...(logo && { logo }) };
}

function hostOf(url: string): string | undefined {
  const { hostname } = URL.parse(/^[a-z]+:\/\//i.test(url) ? url : `https://${url}`) ?? {};
  return hostname?.replace(/^www\./, "");
}

/** The look of captions where the order has none of its own: in the film's colors, above the product. */
export function captionLook(film: Film, project: Project, work: Work) {
  const { productName } = work;
  const palette = filmPalette(project.styleGuide, productName);
  const { dark } = palette;
  const isBelow = isDrawn(film, work, 0) && drawnObject(work) === undefined;
  return {
    style: "karaoke" as const,
    position: isBelow ? { y: 0.42 } : isLabelled(film.order) ? { y: 0.27 } : ("top" as const),
    colors: { text: inkOn(dark, palette), active: palette.accent, background: dark },
  };
}
