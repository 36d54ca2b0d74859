import { isDeepStrictEqual } from "node:util";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import type { ExportRequest } from "./schema.ts";

type Fields = { readonly [key: string]: unknown };

type Framed = { readonly request: ExportRequest; readonly canvas: Canvas };

type Saved = Framed & {
  /** True for editors that know the music with its own URL: then a request without music has none. */
  readonly isMusicKnown: boolean;
};

/** True if the request may come from an editor with this many clips: cheaper than reading the saved state. */
export const mayBeOfEditor = (request: ExportRequest, clipCount: number): boolean =>
  request.clips?.length === clipCount &&
  clipCount > 0 &&
  request.texts !== undefined &&
  !["audio", "voice", "captions"].every((field) => Object.hasOwn(request, field));

/**
 * Completes the request of an editor that knows few fields from the saved editor: voice, captions, music, layers, sounds, label,
 * brand, background and targets, and the styles of clips, texts and images. Fields in the request stay, also null. Applies only to a
 * request with texts that shows the clips of the saved editor, and not if it names all sounds and captions.
 */
export function likeSaved(
  { request: sent, canvas }: Framed,
  { request: saved, canvas: savedCanvas, isMusicKnown }: Saved,
) {
  const { clips = [], texts = [], images, options } = sent;
  const shown = paired(clips, saved.clips ?? [], isSameClip);
  if (shown.some(({ other }) => !other)) return sent;
  const { audio, voice, captions, layers, sounds } = saved;
  const { brand, disclosure, quality, targets, background } = saved.options ?? {};
  // a different frame is a choice for one video
  const isSameFrame = canvas.width === savedCanvas.width && canvas.height === savedCanvas.height;
  const ofSaved = withoutUndefined({ brand, disclosure, quality, background, ...(isSameFrame && { targets }) });
  return {
    ...{ ...withoutUndefined({ audio: isMusicKnown ? undefined : audio, voice, captions, layers, sounds }), ...sent },
    ...(audio?.audioUrl && sent.audio?.audioUrl === audio.audioUrl && { audio: { ...audio, ...sent.audio } }),
    clips: shown.map(({ item, other }) => ({ ...other, ...item })),
    texts: withStyles(texts, saved.texts, isSameText),
    ...(images && { images: withStyles(images, saved.images, isSameImage(canvas)) }),
    options: { ...ofSaved, ...options },
  };
}

type Clip = NonNullable<ExportRequest["clips"]>[number];
type Text = NonNullable<ExportRequest["texts"]>[number];
type Image = NonNullable<ExportRequest["images"]>[number];

/** Editors round times and positions. */
const isNear = (one: number, other: number, tolerance = 0.02) => Math.abs(one - other) <= tolerance;
const roundedPixels = 1;

const isSameTime = (one: { position: number; end: number }, other: { position: number; end: number }): boolean =>
  isNear(one.position, other.position) && isNear(one.end, other.end);

const isSameClip = (one: Clip, other: Clip): boolean => one.sceneIndex === other.sceneIndex && isSameTime(one, other);

/** Pairs each item with the first equal one of the others that is not paired yet. */
function paired<Item>(items: readonly Item[], others: readonly Item[], isSame: (one: Item, other: Item) => boolean) {
  const free = new Set(others);
  return items.map((item) => {
    const other = [...free].find((each) => isSame(item, each));
    if (other) free.delete(other);
    return { item, other };
  });
}

const placeFields = ["centerX", "centerY", "x", "y"];
const timeFields = ["position", "end"];

/** True if every sent field equals the saved one, or the default of an unsaved one. */
const hasSame = (sent: Fields, saved: Fields, defaults: Fields, except: readonly string[] = []): boolean =>
  Object.entries(sent).every(([field, value]) => {
    if (value === undefined || timeFields.includes(field) || except.includes(field)) return true;
    const known = saved[field] ?? defaults[field];
    return typeof value === "number" && typeof known === "number"
      ? isNear(value, known, roundedPixels)
      : isDeepStrictEqual(value, known);
  });

const textDefaults = { fontSize: 48, fontColor: "#ffffff", centerX: 0, centerY: 0 };

const isSameText = (sent: Text, saved: Text): boolean =>
  sent.text === saved.text && isSameTime(sent, saved) && hasSame(sent, saved, textDefaults);

const imageDefaults = { opacity: 1, rotation: 0, maintainAspectRatio: true };

/** Editors may send the corner of an image whose center they have saved. */
const isSameImage =
  (canvas: Canvas) =>
  (sent: Image, saved: Image): boolean => {
    const { x, y, width = 0, height = 0 } = sent;
    const { centerX = 0, centerY = 0 } = saved;
    const isAtCorner =
      x !== undefined && y !== undefined && saved.x === undefined && saved.y === undefined
        ? isNear(x, canvas.width / 2 + centerX - width / 2, roundedPixels) &&
          isNear(y, canvas.height / 2 + centerY - height / 2, roundedPixels)
        : undefined;
    return (
      (isAtCorner ?? true) &&
      isSameTime(sent, saved) &&
      hasSame(sent, saved, imageDefaults, isAtCorner === undefined ? [] : placeFields)
    );
  };

/** Adds the saved styles, except fields that are null. */
const withStyles = <Item extends Text | Image>(
  sent: readonly Item[],
  saved: readonly Item[] = [],
  isSame: (one: Item, other: Item) => boolean,
): Item[] =>
  paired(sent, saved, isSame).map(({ item, other }) => {
    if (!other) return item;
    const isNamed = ([field, value]: [string, unknown]) => value === undefined || !placeFields.includes(field);
    const named = Object.entries(item).filter(isNamed);
    const nulls = named.filter(([, value]) => value === undefined);
    // safe because both are such items
    return { ...Object.fromEntries(named), ...other, ...Object.fromEntries(nulls) } as Item;
  });
