import type { LayerInput, SoundInput } from "../../exports/request/layers/inputs.ts";
import type { Draft, EditService, ReadContext, ReadEdit, SoundDraft } from "../reading/draft.ts";
import { fontKey } from "../reading/fonts.ts";
import { changed, ignored, type MergeValues, Property, used } from "../reading/property.ts";
import { color, never, noted, number, type Row, readBy, rounded, type Table, within } from "../reading/rows.ts";
import { type Clip, type Frame, layersOf, readClip, type Timed } from "./clip.ts";

type Edit = {
  background: string;
  soundtrack?: SoundDraft;
  tracks: Property[];
  width?: number;
  height?: number;
  resolution: string;
  aspectRatio: string;
  fps: number;
  format: "mp4" | "gif" | "mp3" | "png" | "jpg";
  isDraft: boolean;
  isMuted: boolean;
  at?: number;
  posterAt?: number;
  name?: string;
};

type EditRow = Row<Edit, ReadContext>;
type EditTable = Table<Edit, ReadContext>;

const inner =
  (table: EditTable): EditRow =>
  (property, edit, context) => {
    if (!property.isObject) return ignored("Must be an object.");
    readBy(table, property, edit, context);
    return undefined;
  };

/** The shorter side in pixels, and the longer one of 16:9. */
const resolutions: Readonly<Record<string, readonly [short: number, long: number]>> = {
  preview: [288, 512],
  mobile: [360, 640],
  sd: [576, 1024],
  hd: [720, 1280],
  "1080": [1080, 1920],
  "4k": [2160, 3840],
};

const ratios: Readonly<Record<string, readonly [width: number, height: number]>> = {
  "16:9": [16, 9],
  "9:16": [9, 16],
  "1:1": [1, 1],
  "4:5": [4, 5],
  "4:3": [4, 3],
};

const soundEffects = ["fadeIn", "fadeOut", "fadeInFadeOut", "none"];

const soundtrack: EditRow = (property, edit, context) => {
  if (!property.isObject) return ignored("Must be an object.");
  const sound: SoundInput = { role: "music" };
  const media = context.media(property.at("src"), "audio");
  readBy<SoundInput, ReadContext>(
    {
      src: () => undefined,
      effect: (effect, draft) => {
        const name = effect.text ?? "";
        if (!soundEffects.includes(name)) return ignored("Is not an effect of a sound.");
        if (name.startsWith("fadeIn")) draft.fadeIn = 1;
        if (name.endsWith("Out")) draft.fadeOut = 1;
        return used("fadeIn, fadeOut");
      },
      volume: number("volume", { min: 0, max: 4 }, (draft, value) => {
        draft.volume = value;
      }),
    },
    property,
    sound,
    context,
  );
  if (media?.assetId) edit.soundtrack = { from: property, sound: { ...sound, assetId: media.assetId } };
  return undefined;
};

const fonts: EditRow = (property, _, context) => {
  for (const font of property.items) {
    const src = font.at("src");
    const file = context.media(src, "font");
    const name = fileName(src.text ?? "");
    if (file?.assetId && name) context.fonts.set(fontKey(name), file.assetId);
  }
  return property.items.length > 0 ? undefined : used("nothing");
};

const fileName = (url: string): string => {
  const last = url.split(/[?#]/)[0]!.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};

const timelineRows: EditTable = {
  soundtrack,
  background: color("options.background", (edit, value) => {
    edit.background = value;
  }),
  fonts,
  tracks: (property, edit) => {
    edit.tracks = [...property.items];
    return property.items.length > 0 ? undefined : used("nothing");
  },
  cache: noted("nothing: files are fetched once"),
};

const outputRows: EditTable = {
  format: (property, edit) => {
    const format = (["mp4", "gif", "mp3", "png", "jpg"] as const).find((name) => name === property.text);
    if (!format && property.text !== "bmp") return ignored("Must be one of: mp4, gif, mp3, jpg, png, bmp.");
    edit.format = format ?? "png";
    return format ? used("options.format") : changed("Is png.");
  },
  resolution: (property, edit) => {
    if (!Object.hasOwn(resolutions, property.text ?? "")) return ignored("Is not a resolution.");
    edit.resolution = property.text!;
    return used("options.width, options.height");
  },
  aspectRatio: (property, edit) => {
    if (!Object.hasOwn(ratios, property.text ?? "")) return ignored("Is not an aspect ratio.");
    edit.aspectRatio = property.text!;
    return used("options.width, options.height");
  },
  size: inner({
    width: number("options.width", { min: 16, max: 4096 }, (edit, value) => {
      edit.width = value;
    }),
    height: number("options.height", { min: 16, max: 4096 }, (edit, value) => {
      edit.height = value;
    }),
  }),
  fps: number("options.fps", { min: 1, max: 120 }, (edit, value) => {
    edit.fps = value;
  }),
  scaleTo: never("A film has the size of its frame: give the export another one."),
  quality: (property, edit) => {
    edit.isDraft = property.text === "verylow";
    return property.text === "medium"
      ? used("options.quality")
      : changed("Is the quality standard, or draft for verylow.");
  },
  repeat: (property) => (property.flag === false ? changed("A GIF repeats.") : used("a GIF that repeats")),
  mute: (property, edit) => {
    edit.isMuted = property.flag === true;
    return used("volume");
  },
  range: (property, edit) => {
    const start = property.at("start").number ?? 0;
    if (edit.format !== "png" && edit.format !== "jpg") return ignored("The whole film is kept.");
    edit.at = within(start, { min: 0, max: 3600 });
    return used("options.at");
  },
  poster: inner({
    capture: number("options.poster.at", { min: 0, max: 3600 }, (edit, value) => {
      edit.posterAt = value;
    }),
  }),
  thumbnail: never("The poster is the picture of a film: options.poster."),
  destinations: never("The file stays here: download it, or let a webhook tell when it is done."),
};

const editRows: EditTable = {
  timeline: inner(timelineRows),
  output: inner(outputRows),
  merge: (property) => {
    for (const field of property.items) {
      const as = used(`the value of {{${(field.at("find").text ?? "").trim()}}}`);
      field.at("find").mark(as);
      field.at("replace").mark(as);
    }
    return property.items.length > 0 ? undefined : used("nothing");
  },
  callback: never("A webhook of the export tells when it is done."),
  disk: noted("nothing: it has no effect"),
  instance: noted("nothing: it has no effect"),
  name: (property, edit) => {
    edit.name = property.text?.slice(0, 200);
    return used("name");
  },
  id: noted("nothing: a name"),
  template: (property, edit, context) => {
    if (!property.isObject) return ignored("Must be an object.");
    readBy(editRows, property, edit, context);
    return undefined;
  },
};

/** The values of merge fields, by their names. */
function valuesOf(edit: unknown): ReadonlyMap<string, string> {
  const root = new Property(edit);
  const fields = [...root.at("merge").items, ...root.at("template").at("merge").items];
  return new Map(
    fields.flatMap((field): [string, string][] => {
      const key = field.at("find").template?.trim();
      const { raw } = field.at("replace");
      const value = typeof raw === "string" ? raw : typeof raw === "number" || typeof raw === "boolean" ? `${raw}` : "";
      return key ? [[key.slice(0, 200), value.slice(0, 10_000)]] : [];
    }),
  );
}

const even = (length: number): number => Math.max(16, 2 * Math.round(length / 2));

function frameOf({ width, height, resolution, aspectRatio }: Edit): Frame {
  if (width !== undefined && height !== undefined) return { width: even(width), height: even(height) };
  const [short, long] = resolutions[resolution]!;
  const [x, y] = ratios[aspectRatio]!;
  if (aspectRatio === "16:9") return { width: long, height: short };
  if (aspectRatio === "9:16") return { width: short, height: long };
  return { width: even((x / y) * short), height: even(short) };
}

function readEdit(root: Property, context: ReadContext, values: MergeValues): ReadEdit {
  const edit: Edit = {
    background: "#000000",
    tracks: [],
    resolution: "hd",
    aspectRatio: "16:9",
    fps: 25,
    format: "mp4",
    isDraft: false,
    isMuted: false,
  };
  readBy(editRows, root, edit, context);
  const frame = frameOf(edit);
  const tracks = edit.tracks.map((track) =>
    track.at("clips").items.map((clip) => readClip(clip, { ...context, frame })),
  );
  for (const track of edit.tracks) if (track.at("clips").items.length === 0) track.at("clips").mark(used("nothing"));
  const timed = timesOf(tracks, edit.fps);
  const placed = tracks.map((clips) => clips.map((clip) => ({ clip, times: timed.times.get(clip)! })));
  const drafts = placed.map((clips, index) => draftsOf(clips, { frame, index, isMuted: edit.isMuted, fps: edit.fps }));
  const sounds = placed.flatMap((clips) => clips.flatMap(soundOf));
  const { at, posterAt } = edit;
  const isPicture = edit.format === "png" || edit.format === "jpg";
  return {
    name: edit.name,
    ...frame,
    fps: edit.fps,
    duration: timed.end > 0 ? timed.end : undefined,
    options: {
      background: edit.background,
      ...(edit.format !== "mp4" && { format: edit.format }),
      ...(isPicture && { at: within(at ?? 0, { min: 0, max: Math.max(0, timed.end - 0.1) }) }),
      ...(posterAt !== undefined && {
        poster: { at: within(posterAt, { min: 0, max: Math.max(0, timed.end - 0.1) }) },
      }),
      ...(edit.isDraft && { quality: "draft" as const }),
    },
    // the first track lies on top
    tracks: drafts.toReversed(),
    sounds: edit.isMuted ? [] : [...(edit.soundtrack ? [edit.soundtrack] : []), ...sounds],
    values,
  };
}

/** Stills and texts whose length is `auto`. */
const stillSeconds = 3;

function timesOf(tracks: readonly (readonly Clip[])[], fps: number) {
  const frame = 1 / fps;
  const naturalOf = ({ asset }: Clip): number =>
    Math.max(0.04, ((asset.media?.seconds ?? stillSeconds + asset.trim) - asset.trim) / asset.speed);
  const starts = new Map<Clip, number>();
  const ends = new Map<Clip, number>();
  let end = 0;
  for (const clips of tracks) {
    let previous = 0;
    for (const clip of clips) {
      const start = clip.start === "auto" ? previous : clip.start;
      starts.set(clip, start);
      if (clip.length === "end") continue;
      previous = start + (clip.length === "auto" ? naturalOf(clip) : clip.length);
      ends.set(clip, previous);
      if (clip.asset.kind !== "nothing" || clip.length !== "auto") end = Math.max(end, previous);
    }
  }
  const whole = end > 0 ? Math.min(end, 3600) : Math.min(3600, Math.max(0, ...[...starts.keys()].map(naturalOf)));
  const times = new Map<Clip, Timed>(
    [...starts].map(([clip, start]) => [
      clip,
      { position: rounded(start), end: rounded(Math.max(start + frame, ends.get(clip) ?? whole)) },
    ]),
  );
  return { times, end: rounded(whole) };
}

/** Edits of Shotstack: a timeline, an output and merge fields. */
export const shotstack: EditService = {
  prepare: (edit) => ({ edit, values: valuesOf(edit) }),
  read: readEdit,
};

type Placed = { readonly clip: Clip; readonly times: Timed };

/** The layers of a track. A matte shows a part of the clips of its track that are visible with it. */
function draftsOf(
  placed: readonly Placed[],
  {
    frame,
    index,
    isMuted,
    fps,
  }: { readonly frame: Frame; readonly index: number; readonly isMuted: boolean; readonly fps: number },
): readonly Draft[] {
  const mattes = placed.filter(({ clip }) => clip.asset.kind === "matte");
  const shown = placed.filter(({ clip }) => clip.asset.kind !== "matte");
  const drafts = shown.flatMap(({ clip, times }, at) => {
    const overlapping = mattes.filter((matte) => matte.times.position < times.end && matte.times.end > times.position);
    const layers = layersOf(clip, times, frame).map((layer) => (isMuted ? muted(layer) : layer));
    const masked = layers.flatMap((layer, part) => {
      const mask =
        overlapping.length > 0 ? matteOf(overlapping, times, frame, `matte-${index}-${at}-${part}`) : undefined;
      return mask ? [mask, { ...layer, mask: { layer: mask.id!, by: "luma" as const } }] : [layer];
    });
    return masked.map((layer) => ({ from: clip.from, layer }));
  });
  return joinedTexts(drafts, fps);
}

const muted = (layer: LayerInput): LayerInput => (layer.type === "video" ? { ...layer, volume: 0 } : layer);

/** Bright where the clip is seen: a matte is dark there, and a clip is whole while it has none. */
function matteOf(
  mattes: readonly Placed[],
  { position, end }: Timed,
  frame: Frame,
  id: string,
): LayerInput | undefined {
  const parts = mattes.flatMap(({ clip, times }): LayerInput[] => {
    const { media, trim } = clip.asset;
    if (!media?.assetId) return [];
    const start = Math.max(0, times.position - position);
    const late = Math.max(0, position - times.position);
    const common = {
      position: rounded(start),
      end: rounded(Math.min(times.end, end) - position),
      width: frame.width,
      height: frame.height,
      fit: "cover" as const,
      filter: { invert: 1 },
    };
    return media.type === "image"
      ? [{ type: "image", assetId: media.assetId, ...common }]
      : [{ type: "video", assetId: media.assetId, ...common, volume: 0, cutFrom: rounded(trim + late) }];
  });
  if (parts.length === 0) return undefined;
  return {
    type: "group",
    id,
    position,
    end,
    layers: [{ type: "shape", shape: "rect", fill: "#ffffff" }, ...parts],
  };
}

/** A list may have at most this many keyframes. */
const wordsAtOnce = 200;

/** Texts of one look that follow each other become one text whose words change: edits write counters so. */
function joinedTexts(drafts: readonly Draft[], fps: number): readonly Draft[] {
  const joined: Draft[] = [];
  for (const draft of drafts) {
    const last = joined.at(-1);
    const both = last && joinedText(last, draft, fps);
    if (both) joined.splice(-1, 1, both);
    else joined.push(draft);
  }
  return joined;
}

function joinedText(one: Draft, other: Draft, fps: number): Draft | undefined {
  const [first, next] = [one.layer, other.layer];
  if (
    first.type !== "text" ||
    next.type !== "text" ||
    next.keyframes ||
    next.enter ||
    next.exit ||
    first.enter ||
    first.exit
  ) {
    return undefined;
  }
  const frames = first.keyframes?.text ?? [{ at: 0, value: first.text ?? "" }];
  const { end } = first;
  const position = first.position ?? 0;
  const isFollowing = Math.abs((end ?? 0) - (next.position ?? 0)) < 0.9 / fps;
  const others = Object.keys(first.keyframes ?? {}).filter((name) => name !== "text");
  if (!isFollowing || frames.length >= wordsAtOnce || others.length > 0) return undefined;
  if (first.spans || next.spans || lookOf(first) !== lookOf(next)) return undefined;
  const text = [...frames, { at: rounded((next.position ?? 0) - position), value: next.text ?? "" }];
  return { from: one.from, layer: { ...first, end: next.end, keyframes: { text } } };
}

const lookOf = ({
  text: _t,
  position: _p,
  end: _e,
  keyframes: _k,
  ...look
}: LayerInput & { text?: string | undefined }) => JSON.stringify(look);

function soundOf({ clip, times }: Placed): readonly SoundDraft[] {
  const { asset } = clip;
  if (asset.kind !== "sound" || !asset.media?.assetId) return [];
  const { media, trim, volume, speed, fades, volumeFrames } = asset;
  const sound: SoundInput = {
    assetId: media.assetId,
    ...times,
    ...(trim > 0 && { cutFrom: trim }),
    ...(volume !== 1 && { volume }),
    ...(speed !== 1 && { speed }),
    ...(fades.in && { fadeIn: 1 }),
    ...(fades.out && { fadeOut: 1 }),
    ...(volumeFrames && { keyframes: { volume: volumeFrames } }),
  };
  return [{ from: clip.from, sound }];
}
