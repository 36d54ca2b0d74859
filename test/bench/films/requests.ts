import type { FilmSeconds } from "./settings.ts";

type Clip = {
  readonly sceneIndex: number;
  readonly seconds: number;
  readonly cutFrom?: number;
  readonly fit?: "cover" | "blur";
  readonly transition?: string;
};

const look = { fontSize: 72, fontColor: "#ffffff", strokeColor: "#000000", strokeWidth: 4 };
const text = (words: string, position: number, end: number, centerY: number) => ({
  ...look,
  text: words,
  position,
  end,
  centerX: 0,
  centerY,
});

/** The scenes' numbers are places in `clipKinds`. */
const films = {
  6: {
    clips: [
      { sceneIndex: 0, seconds: 2, transition: "fade" },
      { sceneIndex: 3, seconds: 2, fit: "cover" },
      { sceneIndex: 2, seconds: 2, cutFrom: 3 },
    ],
    texts: [text("New this week", 1.6, 3.6, 500)],
    image: undefined,
  },
  15: {
    clips: [
      { sceneIndex: 0, seconds: 3, transition: "fade" },
      { sceneIndex: 5, seconds: 3, cutFrom: 2, fit: "cover", transition: "slideleft" },
      { sceneIndex: 4, seconds: 3, cutFrom: 1, transition: "wipeup" },
      { sceneIndex: 1, seconds: 3, cutFrom: 0.5, fit: "blur", transition: "circleopen" },
      { sceneIndex: 2, seconds: 3, cutFrom: 4 },
    ],
    texts: [
      text("Fresh every morning", 0.4, 3.4, -600),
      text("Two for one", 8.1, 10.1, 500),
      text("Order today", 11.2, 14.2, 0),
    ],
    image: undefined,
  },
  30: {
    clips: [
      { sceneIndex: 0, seconds: 3, transition: "fade" },
      { sceneIndex: 1, seconds: 4, fit: "cover" },
      { sceneIndex: 2, seconds: 2.5, transition: "slideleft" },
      { sceneIndex: 3, seconds: 3.5, cutFrom: 1, fit: "blur", transition: "dissolve" },
      { sceneIndex: 4, seconds: 4, cutFrom: 1 },
      { sceneIndex: 5, seconds: 3, cutFrom: 2, fit: "cover", transition: "wipeup" },
      { sceneIndex: 6, seconds: 3.5, cutFrom: 1, transition: "fadeblack" },
      { sceneIndex: 0, seconds: 3, cutFrom: 3, transition: "circleopen" },
      { sceneIndex: 2, seconds: 3.5, cutFrom: 4 },
    ],
    texts: [
      text("Fresh every morning", 0.4, 3.4, -600),
      text("Two for one", 12.2, 14.2, 500),
      text("From the farm", 4, 6.5, 500),
      text("To your table", 9, 12, -500),
      text("In half an hour", 18, 21.5, 300),
      text("Order today", 24, 28, 0),
    ],
    image: { position: 19, end: 23, centerX: 100, centerY: -500, opacity: 0.5, rotation: 15 },
  },
} as const satisfies Record<FilmSeconds, object>;

/** The text of exactly two seconds: it lies across the start of a clip, as captions do. */
export const shortText = { 6: 0, 15: 1, 30: 1 } as const satisfies Record<FilmSeconds, number>;

export const transitionSeconds = 0.5;

/** What was uploaded once for all films. */
export type Uploads = {
  readonly projectId: string;
  readonly workId: string;
  readonly imageId: string;
  readonly musicUrls: readonly string[];
};

/** The export request of a film. */
export function filmRequest(seconds: FilmSeconds, { projectId, workId, imageId, musicUrls }: Uploads) {
  const { clips, texts, image } = films[seconds];
  return {
    projectId,
    workId,
    clips: placed(clips),
    texts: [...texts],
    images: image ? [{ ...image, assetId: imageId }] : [],
    audio: { volume: 0.5, audioUrl: musicUrls[0]!, loop: true },
  };
}

/** A film of 15 seconds that shows a part of each of six clips of six seconds. */
export const sixClips = (uploads: Uploads): FilmRequest => {
  const parts = [
    { cutFrom: 0.5, transition: "fade" },
    { cutFrom: 3, transition: "slideleft" },
    { cutFrom: 1, transition: "wipeup" },
    { cutFrom: 2.2, transition: "circleopen" },
    { cutFrom: 0, transition: "cut" },
    { cutFrom: 3.2 },
  ];
  return {
    ...filmRequest(15, uploads),
    clips: placed(parts.map((part, sceneIndex) => ({ ...part, sceneIndex, seconds: 2.5 }))),
  };
};

export type FilmRequest = ReturnType<typeof filmRequest>;

/** End to end. */
function placed(clips: readonly Clip[]) {
  let position = 0;
  return clips.map(({ seconds, transition = "cut", cutFrom = 0, ...clip }) => {
    const start = position;
    position += seconds;
    return { ...clip, cutFrom, transition, transitionDuration: transitionSeconds, position: start, end: position };
  });
}

/** The film repeated until it is `seconds` long. */
export function repeated(film: FilmRequest, seconds: number): FilmRequest {
  const length = film.clips.at(-1)!.end;
  const starts = Array.from({ length: seconds / length }, (_, index) => index * length);
  const everywhere = <Part extends { readonly position: number; readonly end: number }>(parts: readonly Part[]) =>
    starts.flatMap((start) =>
      parts.map((part) => ({ ...part, position: part.position + start, end: part.end + start })),
    );
  const { clips, texts, images } = film;
  return { ...film, clips: everywhere(clips), texts: everywhere(texts), images: everywhere(images) };
}
