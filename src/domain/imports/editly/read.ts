import type { SoundInput } from "../../exports/request/layers/inputs.ts";
import type { Draft, EditService, ReadContext, ReadEdit, SoundDraft } from "../reading/draft.ts";
import { changed, ignored, type Property, used } from "../reading/property.ts";
import { readBy, rounded, within } from "../reading/rows.ts";
import { type Config, configRows, type Defaults, type TransitionDraft, transitionOf } from "./config.ts";
import { type Layer, layerTypes, newLayer, readLayer } from "./layer-properties.ts";
import { drawn, type Frame, mediaLength, pictureDraft, type Stage } from "./layers.ts";
import { glTransition } from "./transitions.ts";

/** A clip's place in time. */
type Span = { readonly start: number; readonly seconds: number; readonly fitsVideos: boolean };

type ReadClip = { readonly property: Property; readonly layers: readonly { from: Property; layer: Layer }[] } & {
  readonly duration: number;
  readonly isGiven: boolean;
  readonly transition: TransitionDraft;
};

function readClip(property: Property, config: Config, context: ReadContext): ReadClip {
  const list = property.at("layers");
  const { defaults } = config;
  const read = (list.isObject ? [list] : list.items).flatMap((from) => {
    const layer = readLayer(from, defaults, context);
    return layer ? [{ from, layer }] : [];
  });
  const given = property.at("duration").number;
  property.at("duration").mark(given === undefined ? ignored("Must be a number.") : used("end"));
  const own = property.at("transition");
  const transition = own.raw === undefined ? defaults.transition : (transitionOf(own, context) ?? null);
  const video = read.find(({ layer }) => layer.type === "video")?.layer;
  const duration = given ?? (video && mediaLength(video)) ?? defaults.duration;
  return {
    property,
    layers: read,
    duration: within(duration, { min: 0.04, max: 3600 }),
    isGiven: given !== undefined,
    transition: transition === undefined ? { name: "random", seconds: 0.5 } : transition,
  };
}

const even = (value: number): number => within(2 * Math.round(value / 2), { min: 16, max: 4096 });

function frameOf({ width, height }: Config, clips: readonly ReadClip[]): Frame {
  const first = clips.flatMap(({ layers }) => layers).find(({ layer }) => layer.type === "video" && layer.path?.width);
  const { width: w = 640, height: h = 640 } = first?.layer.path ?? {};
  const chosen = width ?? (height === undefined ? 640 : (height * w) / h);
  return { width: even(chosen), height: even(height ?? (chosen * h) / w) };
}

function readEdit(root: Property, context: ReadContext, values: ReadEdit["values"]): ReadEdit {
  const config: Config = {
    format: "mp4",
    isDraft: false,
    clips: [],
    defaults: { duration: 4, transition: undefined, layer: undefined, layerType: undefined },
    keepsSound: false,
    repeatsAudio: false,
    clipsVolume: 1,
    outputVolume: 1,
    tracks: [],
  };
  readBy(configRows, root, config, context);
  const clips = config.clips.map((clip) => readClip(clip, config, context));
  const frame = frameOf(config, clips);
  const loudest = Math.max(
    ...[1, config.clipsVolume, ...config.tracks.map((track) => track.at("mixVolume").number ?? 1)],
    ...clips.flatMap(({ layers }) => layers.map(({ layer }) => layer.mixVolume)),
  );
  const volumeOf = (mix: number): number => rounded(within((mix / loudest) * config.outputVolume, { min: 0, max: 4 }));
  const base: Draft[] = [];
  const above: Draft[] = [];
  const sounds: SoundDraft[] = [];
  let start = 0;
  let end = 0;
  for (const [index, clip] of clips.entries()) {
    const before = clips[index - 1];
    const seconds = before?.transition
      ? Math.min(before.transition.seconds, before.duration / 2, clip.duration / 2)
      : 0;
    start = Math.max(0, end - seconds);
    end = start + clip.duration;
    const transition =
      before?.transition && seconds > 0
        ? { kind: glTransition(before.transition.name).kind, seconds: rounded(seconds) }
        : undefined;
    const drafts = clip.layers.flatMap(({ from, layer }) => {
      const span = { start, seconds: clip.duration, fitsVideos: clip.isGiven };
      if (layer.type === "audio" || layer.type === "detached-audio") {
        sounds.push(...soundOf(from, layer, span, volumeOf));
        return [];
      }
      return draftsOf(from, layer, {
        span,
        frame,
        index,
        context,
        volume: config.keepsSound ? volumeOf(layer.mixVolume * config.clipsVolume) : 0,
      });
    });
    const [first, ...others] = drafts;
    if (first) base.push({ ...first, transition });
    // what lies over the first layer of a clip enters with it
    above.push(...others.map((draft) => ({ ...draft, ...(isAtStart(draft, start) && { transition }) })));
  }
  sounds.push(...musicOf(config, context, end, volumeOf));
  return {
    ...frame,
    fps: config.fps ?? 25,
    duration: end > 0 ? rounded(end) : undefined,
    options: {
      background: "#000000",
      ...(config.format !== "mp4" && { format: config.format }),
      ...(config.isDraft && { quality: "draft" as const }),
    },
    tracks: withLayersInOrder(base, above),
    sounds,
    values,
  };
}

const isAtStart = ({ layer }: Draft, start: number): boolean => Math.abs((layer.position ?? 0) - start) < 0.001;

/** The first layers of the clips are a track: the others lie over it, in the order of their clips. */
const withLayersInOrder = (base: readonly Draft[], above: readonly Draft[]) => [base, above];

type DraftStage = {
  readonly span: Span;
  readonly frame: Frame;
  readonly index: number;
  readonly context: ReadContext;
  readonly volume: number;
};

function draftsOf(from: Property, layer: Layer, stage: DraftStage): readonly Draft[] {
  const { span, frame, index, context, volume } = stage;
  const position = rounded(span.start + layer.start);
  const end = rounded(span.start + Math.min(layer.stop ?? span.seconds, span.seconds));
  if (end <= position) {
    from.mark(ignored("Ends before it begins."));
    return [];
  }
  const natural = mediaLength(layer);
  const speed = natural !== undefined && span.fitsVideos ? natural / (end - position) : 1;
  const inStage = { frame, times: { position, end }, speed, volume };
  if (layer.type === "video" || layer.type === "image") return pictureDraft(from, layer, inStage);
  if (layer.type === "title-background") return titleOver(from, layer, { ...inStage, index, context });
  if (layer.type === "rainbow-colors")
    from.at("type").mark(changed("Is a gradient of these colors, which stands still."));
  return (drawn[layer.type]?.(layer, inStage, index) ?? []).map((each) => ({ from, layer: each }));
}

function titleOver(
  from: Property,
  layer: Layer,
  stage: Stage & { readonly index: number; readonly context: ReadContext },
): readonly Draft[] {
  const { index, context } = stage;
  const none: Defaults = { duration: 0, transition: null, layer: undefined, layerType: undefined };
  const ground = layer.background?.isObject ? readLayer(layer.background, none, context) : undefined;
  const below = ground ?? newLayer(index % 2 === 0 ? "linear-gradient" : "radial-gradient");
  const shown = drawn[below.type]?.(below, stage, index) ?? [];
  return [...shown, ...drawn.title!(layer, stage, index)].map((each) => ({ from, layer: each }));
}

function soundOf(from: Property, layer: Layer, span: Span, volumeOf: (mix: number) => number): readonly SoundDraft[] {
  const { path, cutFrom, cutTo } = layer;
  if (!path?.assetId) return [];
  const position = rounded(span.start + layer.start);
  const cut = cutTo === undefined ? undefined : Math.max(0.01, cutTo - cutFrom);
  const isAttached = layer.type === "audio";
  const room = span.start + span.seconds - position;
  const speed = isAttached && cut !== undefined ? within(cut / room, { min: 0.5, max: 10 }) : 1;
  const end = isAttached ? span.start + span.seconds : cut === undefined ? undefined : position + cut;
  return [
    {
      from,
      sound: {
        assetId: path.assetId,
        position,
        ...(end !== undefined && { end: rounded(end) }),
        ...(cutFrom > 0 && { cutFrom }),
        ...(Math.abs(speed - 1) > 0.001 && { speed: rounded(speed) }),
        volume: volumeOf(layer.mixVolume),
      },
    },
  ];
}

function musicOf(
  config: Config,
  context: ReadContext,
  end: number,
  volumeOf: (mix: number) => number,
): readonly SoundDraft[] {
  const music = config.audioPath && context.media(config.audioPath, "audio");
  const own: SoundDraft[] =
    config.audioPath && music?.assetId
      ? [
          {
            from: config.audioPath,
            sound: {
              assetId: music.assetId,
              role: "music",
              volume: volumeOf(1),
              ...(config.repeatsAudio && { repeat: true, end: rounded(end) }),
            },
          },
        ]
      : [];
  const tracks = config.tracks.flatMap((track): SoundDraft[] => {
    const layer = newLayer("detached-audio");
    readBy(layerTypes["detached-audio"]!, track, layer, context);
    const span: Span = { start: 0, seconds: end, fitsVideos: false };
    return soundOf(track, layer, span, volumeOf).map(
      ({ from, sound }): SoundDraft => ({
        from,
        sound: { ...sound, role: "music" } satisfies SoundInput,
      }),
    );
  });
  return [...own, ...tracks];
}

/** Edits of editly: a list of clips with layers. */
export const editly: EditService = { prepare: (edit) => ({ edit, values: new Map() }), read: readEdit };
