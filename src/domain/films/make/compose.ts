import { withoutUndefined } from "../../../platform/without-undefined.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import { brandOf } from "../../brand/brand.ts";
import type { ExportRequest } from "../../exports/schema.ts";
import type { Project } from "../../projects/projects.ts";
import { addressIn, priceIn } from "../../shared/offers.ts";
import { requireFound } from "../../shared/versioned.ts";
import { spokenText } from "../../speech/spoken-text.ts";
import type { EditorState, TrackAction } from "../../works/editor-state.ts";
import type { WorkMedia, WorkMediaStore } from "../../works/media.ts";
import { toSceneIndexes } from "../../works/scene-indexes.ts";
import { editorStateWithTrack } from "../../works/scene-track.ts";
import { showing } from "../../works/shown-scenes.ts";
import type { ScenarioScene, Work } from "../../works/works.ts";
import type { Film, FilmOrder } from "../film.ts";
import { drawnObject, filmCanvases, sceneColors } from "../look/design.ts";
import { filmPalette, inkOn } from "../look/palette.ts";
import { type Placed, titleFrame } from "../look/titles.ts";
import { sceneWords } from "../look/words.ts";
import { fittedClips } from "../voice-length.ts";
import { isEdited, isLaidOut, wasMadeBefore } from "./edits.ts";
import { isAroundTargets, isDrawn, lookOf } from "./scene-pictures.ts";

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
  /** What the film's export says besides its clips, texts and images: exports of the work say the same. */
  readonly requestOf?: (work: Work) => Pick<ExportRequest, "captions" | "voice" | "audio" | "options">;
};

/** What a person has saved in the editor stays: scenes that were not made then are added. */
export async function composeFilm(
  { workMedia }: { readonly workMedia: WorkMediaStore },
  composing: Composing,
  { projectId, id }: Work,
): Promise<Work> {
  const changed = await workMedia.changeWork(projectId, id, (work, media) => {
    const laidOut = composed(composing, work, media, draftOf(composing.film, work, media));
    const request = composing.requestOf?.(work);
    const filmLook = lookOf(composing.film);
    const decided = request ? { ...withRequest(laidOut, request), filmLook } : laidOut;
    // what a person has saved is of the scenes of that time
    const editorState = decided.shownScenes ? decided : showing(decided, work.scenes);
    return { ...work, editorState, updatedAt: Date.now() };
  });
  return requireFound(changed);
}

/** The volume of the music is the editor's own. */
function withRequest(state: EditorState, request: ReturnType<NonNullable<Composing["requestOf"]>>): EditorState {
  const { captions, voice, audio, options } = request;
  const { volume: _, ...music } = audio ?? {};
  const { targets, ...settings } = options ?? {};
  return {
    ...{ ...state, ...withoutUndefined({ captions, voice, targets }), ...(audio && { audio: music }) },
    exportSettings: { ...state.exportSettings, ...settings },
  };
}

type Clip = TrackAction & {
  /** Of its scene in the work. */
  readonly place: number;
  /** The film lays it out; else it is as it was saved. */
  readonly isOpen: boolean;
};

type Draft = { readonly state: EditorState; readonly clips: readonly Clip[] };

function draftOf(film: Film, work: Work, media: readonly WorkMedia[]): Draft {
  const made = editorStateWithTrack({ ...work, editorState: undefined }, media);
  if (!isEdited(film, work)) {
    const clips = fittedClips(film.order, work, media, clipsOf(work, made, true));
    return { state: withApplied(made, work), clips };
  }
  const state = editorStateWithTrack(work, media);
  const clips = clipsOf(work, state, !isLaidOut(film, work));
  const isNew = ({ place }: Clip) =>
    !clips.some((clip) => clip.place === place) && !wasMadeBefore(film, place, work.editorSavedAt);
  return clipsOf(work, made, true).filter(isNew).reduce(withClip, { state, clips });
}

/** With what people put into a work without its editor: music, and templates. */
function withApplied(made: EditorState, { editorState }: Work): EditorState {
  if (!editorState) return made;
  const { audioUrl, editorData, ...overlays } = editorState;
  const isApplied = (id: string) => id.startsWith("tmpl_");
  const track = (actions: readonly TrackAction[]) => actions.filter(({ id }) => isApplied(id));
  const applied = (all: EditorState["textOverlays"]) =>
    Object.fromEntries(Object.entries(all).filter(([id]) => isApplied(id)));
  return {
    ...{ ...made, ...(audioUrl !== undefined && { audioUrl }) },
    editorData: {
      ...made.editorData,
      ...{ textTrack: track(editorData.textTrack), imageTrack: track(editorData.imageTrack) },
    },
    textOverlays: applied(overlays.textOverlays),
    imageOverlays: applied(overlays.imageOverlays),
  };
}

function clipsOf(work: Work, { editorData: { videoTrack } }: EditorState, isOpen: boolean): readonly Clip[] {
  const clips = videoTrack.toSorted((one, other) => one.start - other.start);
  const places = toSceneIndexes(
    work,
    clips.map(({ sceneIndex }, at) => sceneIndex ?? at),
  );
  return clips.map((clip, at) => ({ ...clip, place: places[at]!, isOpen })); // safe because each clip has one
}

/** Adds a clip after those of earlier scenes; what comes later moves. */
function withClip({ state, clips }: Draft, { start, end, ...clip }: Clip): Draft {
  const begin = Math.max(0, ...clips.filter(({ place }) => place < clip.place).map((before) => before.end));
  const seconds = end - start;
  const moved = <Action extends TrackAction>(actions: readonly Action[]): readonly Action[] =>
    actions.map((action) =>
      action.start < begin ? action : { ...action, start: action.start + seconds, end: action.end + seconds },
    );
  const { editorData } = state;
  const { textTrack, imageTrack } = editorData;
  const added: Clip = { ...clip, start: begin, end: begin + seconds };
  return {
    state: { ...state, editorData: { ...editorData, textTrack: moved(textTrack), imageTrack: moved(imageTrack) } },
    clips: [...moved(clips), added].toSorted((one, other) => one.start - other.start),
  };
}

function composed(
  { film, ...composing }: Composing,
  work: Work,
  media: readonly WorkMedia[],
  { state, clips }: Draft,
): EditorState {
  const { order } = film;
  const { editorData } = state;
  const drawn = clips.map(({ place }) => isDrawn(film, work, place));
  const family = drawn.every(Boolean) ? transitions.drawn : transitions.pictures;
  const captioned = hasCaptions(order);
  const isLast = (at: number) => at === clips.length - 1;
  const fitOf = ({ place }: Clip) => {
    const inSlot = (kind: "image" | "video") => media.find(({ slot }) => slot === `scene/${place}/${kind}`);
    // where nothing moves the picture, the camera does
    const shown = inSlot("video") ?? inSlot("image");
    if (isAroundTargets(film, work, place, shown)) return { fit: "cover" } as const;
    if (order.targets.length > 1) return { fit: "blur" } as const;
    return {
      fit: "cover",
      ...(isCropped(shown, filmCanvases(work, order.targets)[0]) && { focus: "auto" }),
    } as const;
  };
  const look = (clip: Clip, at: number) => ({
    ...fitOf(clip),
    ...(captioned && (at === 0 || isLast(at)) && { caption: false }),
    ...(!isLast(at) && family),
  });
  const videoTrack = clips.map((laid, at) => {
    const { place: _, isOpen, ...clip } = laid;
    return isOpen ? { ...look(laid, at), ...clip } : clip;
  });
  const isOwn = ({ id }: Placed) => Object.hasOwn(state.textOverlays, id) || Object.hasOwn(state.imageOverlays, id);
  const placed = wordsOf({ film, ...composing }, work, { clips, drawn }).filter((each) => !isOwn(each));
  const [texts, images] = [placed.filter(isText), placed.filter((each) => !isText(each))];
  const { textTrack, imageTrack } = editorData;
  return {
    ...state,
    editorData: {
      ...{ ...editorData, videoTrack },
      textTrack: [...textTrack, ...texts.map(actionOf)],
      imageTrack: [...imageTrack, ...images.map(actionOf)],
    },
    textOverlays: { ...state.textOverlays, ...overlaysOf(texts) },
    imageOverlays: { ...state.imageOverlays, ...overlaysOf(images) },
  };
}

/** By which a ratio of sides may be another one after rounding. */
const ratioTolerance = 0.02;

/** Whether a clip that covers the canvas loses a part of its picture. */
function isCropped(shown: WorkMedia | undefined, canvas: Canvas | undefined): boolean {
  const { width, height } = shown?.file.facts ?? {};
  if (!canvas || !width || !height) return false;
  return Math.abs((width * canvas.height) / (height * canvas.width) - 1) > ratioTolerance;
}

// fromEntries, because an assignment to the key __proto__ sets the prototype instead
const overlaysOf = (placed: readonly Placed[]) => Object.fromEntries(placed.map(({ id, overlay }) => [id, overlay]));

const isText = ({ overlay }: Placed): boolean => "text" in overlay;
const actionOf = ({ id, start, end }: Placed): TrackAction => ({ id, start, end });

type Track = { readonly clips: readonly Clip[]; readonly drawn: readonly boolean[] };

function wordsOf({ film, project, covers }: Composing, work: Work, { clips, drawn }: Track): readonly Placed[] {
  const { order } = film;
  const palette = filmPalette(project.styleGuide, work.productName);
  const [canvas] = filmCanvases(work, order.targets);
  if (!canvas) return [];
  const frame = titleFrame(canvas);
  const brand = brandOf(project.styleGuide);
  const facts = factsOf(film, work);
  return clips.flatMap(({ start, end, place: index, isOpen }, at) => {
    const scene = work.scenes[index];
    if (!isOpen || !scene) return [];
    const place = placeOf(at, clips.length);
    // the brand or the template has its own
    if (place !== "middle" && covers?.[place]) return [];
    if ((place === "opening" && brand?.intro) || (place === "end" && brand?.endCard)) return [];
    // without captions the product is named and called for, and nothing else is on screen
    if (place === "middle" && order.captions === undefined) return [];
    const onPictures = !drawn[at];
    const hasLogo = facts.logo !== undefined;
    const colors = onPictures ? sceneColors(palette, 0, 2) : sceneColors(palette, at, clips.length, hasLogo);
    const words = {
      ...{ ...facts, onPictures, isCaptioned: hasCaptions(order) },
      hasObject: !onPictures && drawnObject(work) !== undefined,
      isShared: order.targets.length > 1,
      isLabelled: isLabelled(order),
    };
    return sceneWords(frame, words, { scene, place, index, start, end, colors });
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
  // numbers are an address that nobody remembers
  return hostname && /\p{L}/u.test(hostname.split(".").at(-1) ?? "") ? hostname.replace(/^www\./, "") : undefined;
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
