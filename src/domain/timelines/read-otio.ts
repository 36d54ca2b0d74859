import { z } from "zod";
import { type FrameRate, frameRateOf, toFrame } from "../../engine/timeline/time.ts";
import { type TransitionKind, transitionKinds } from "../../engine/timeline/track.ts";
import { DomainError, invalid } from "../../errors.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { sum, toThousandths } from "../../platform/values.ts";
import { named, Side } from "../shared/schemas.ts";
import { issuesOf, parseInput } from "../shared/validation.ts";

/** A file that an edit names: by its hash, if our own export has written it, and by the end of its address. */
export type NamedMedia = { readonly name: string; readonly sha256?: string | undefined };

export type ReadClip = {
  readonly media: NamedMedia;
  /** Frames on the timeline. */
  readonly start: number;
  readonly end: number;
  /** The frame of the file at `start`. */
  readonly mediaStart: number;
  readonly volume?: number | undefined;
  /** Frames of the file for each frame, negative if it plays backwards. Default: 1. */
  readonly speed?: number;
  /** To the next clip. */
  readonly transition?: { readonly type: TransitionKind; readonly frames: number };
};

export type ReadTitle = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly look: z.output<typeof TitleLook>;
};

/** An edit as a work can show it, and what it cannot show, for people. */
export type ReadEdit = {
  readonly name: string;
  readonly fps: number;
  readonly rate: FrameRate;
  readonly canvas?: { readonly width: number; readonly height: number } | undefined;
  readonly clips: readonly ReadClip[];
  readonly overlays: readonly ReadClip[];
  readonly titles: readonly ReadTitle[];
  readonly sounds: readonly ReadClip[];
  readonly lost: readonly string[];
};

const maxItems = 5000;
const maxTracks = 100;
/** As the times of an editor. */
const maxSeconds = 86_400;
const text = z.string().max(20_000);
const schemaName = z.string().max(100);

const Time = z.looseObject({ value: z.number().min(-1e9).max(1e9), rate: z.number().min(1).max(1e6) });
type Time = z.output<typeof Time>;

const Length = Time.extend({ value: z.number().min(0).max(1e9) });

const Range = z.looseObject({ start_time: Time, duration: Length });

const Own = z.looseObject({ reelwright: z.unknown().optional() }).nullish().catch(undefined);

const Media = named(
  "OtioMedia",
  z.looseObject({
    OTIO_SCHEMA: schemaName,
    name: text.nullish(),
    target_url: text.nullish(),
    available_range: Range.nullish(),
    metadata: Own,
    parameters: z.unknown().optional(),
  }),
);

const Effects = z
  .array(z.looseObject({ OTIO_SCHEMA: schemaName, enabled: z.boolean().nullish() }))
  .max(1000)
  .nullish();

const Markers = z
  .array(z.looseObject({ name: text.nullish() }))
  .max(maxItems)
  .nullish()
  .catch(undefined);

const Item = named(
  "OtioItem",
  z.looseObject({
    OTIO_SCHEMA: schemaName,
    name: text.nullish(),
    enabled: z.boolean().nullish(),
    source_range: Range.nullish(),
    metadata: Own,
    media_reference: Media.nullish(),
    media_references: z.record(text, Media.nullable()).nullish(),
    active_media_reference_key: text.nullish(),
    effects: Effects,
    markers: Markers,
    in_offset: Time.nullish(),
    out_offset: Time.nullish(),
  }),
);
type Item = z.output<typeof Item>;

const Track = named(
  "OtioTrack",
  z.looseObject({
    OTIO_SCHEMA: schemaName,
    kind: schemaName.nullish(),
    enabled: z.boolean().nullish(),
    source_range: Range.nullish().catch(undefined),
    effects: Effects.catch(undefined),
    markers: Markers,
    children: z.array(Item).max(maxItems).default([]),
  }),
);
type Track = z.output<typeof Track>;

const Stack = named(
  "OtioStack",
  z.looseObject({
    // a reference to an object elsewhere in the file has no tracks of its own
    OTIO_SCHEMA: schemaName.regex(/^Stack\.\d+$/, "Must be a Stack of OpenTimelineIO.").optional(),
    enabled: z.boolean().nullish(),
    source_range: Range.nullish().catch(undefined),
    effects: Effects.catch(undefined),
    markers: Markers,
    children: z.array(Track).max(maxTracks).default([]),
  }),
);

/** A file of OpenTimelineIO. What lies deeper than items of tracks is not looked at. */
export const OtioTimeline = named(
  "OtioTimeline",
  z.looseObject({
    OTIO_SCHEMA: schemaName.regex(/^Timeline\.\d+$/, "Must be a Timeline of OpenTimelineIO."),
    name: text.nullish(),
    metadata: Own,
    global_start_time: Time.nullish().catch(undefined),
    tracks: Stack,
  }),
);
export type OtioTimeline = z.output<typeof OtioTimeline>;

const Hash = z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const Volume = z.looseObject({ volume: z.number().min(0).max(2) });
// the file has no picture for luma
const Transition = z.looseObject({ type: z.enum(transitionKinds).exclude(["luma"]) });
const Canvas = z.object({ width: Side, height: Side });
const TitleLook = z.object({
  text: text.optional().catch(undefined),
  fontSize: z.number().min(1).max(1000).optional().catch(undefined),
  color: z.array(z.number().min(0).max(1)).length(4).optional().catch(undefined),
  isBold: z.boolean().optional().catch(undefined),
  x: z.number().min(-8192).max(8192).optional().catch(undefined),
  y: z.number().min(-8192).max(8192).optional().catch(undefined),
});

/** Schemas and readers take some milliseconds for these. */
const itemsAtOnce = 100;

/** Parses a body as an `OtioTimeline`, its items in turns with other work. Throws validation_error. */
export async function parseOtio(body: unknown): Promise<OtioTimeline> {
  const tracks = childrenOf(isFields(body) ? body.tracks : undefined);
  requireFewItems(tracks.map((track) => childrenOf(track)));
  const timeline = parsePart(OtioTimeline, withoutItems(body));
  for (const [index, track] of timeline.tracks.children.entries()) {
    const items = childrenOf(tracks[index]);
    for (let at = 0; at < items.length; at += itemsAtOnce) {
      await yieldIfBusy();
      const inFile = ([place, ...path]: Path) => ["tracks", "children", index, "children", at + Number(place), ...path];
      track.children.push(...parsePart(Items, items.slice(at, at + itemsAtOnce), inFile));
    }
  }
  return timeline;
}

const Items = z.array(Item);

type Path = readonly PropertyKey[];
type Fields = { readonly [field: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const childrenOf = (part: unknown): readonly unknown[] =>
  isFields(part) && Array.isArray(part.children) ? part.children : [];

function withoutItems(body: unknown): unknown {
  if (!isFields(body) || !isFields(body.tracks) || !Array.isArray(body.tracks.children)) return body;
  const cut = (track: unknown) => (childrenOf(track).length > 0 ? { ...(track as Fields), children: [] } : track);
  return { ...body, tracks: { ...body.tracks, children: body.tracks.children.map(cut) } };
}

function parsePart<Schema extends z.ZodType>(schema: Schema, input: unknown, inFile = (path: Path): Path => path) {
  const { data, error } = parseInput(schema, input);
  if (!error) return data;
  const issues = error.issues.map((issue) => ({ ...issue, path: [...inFile(issue.path)] }));
  throw new DomainError("validation_error", { issues: issuesOf({ issues }).slice(0, maxIssues) });
}

const maxIssues = 100;

function requireFewItems(tracks: readonly (readonly unknown[])[]): void {
  if (sum(tracks.map(({ length }) => length)) > maxItems)
    throw invalid("tracks", `Must have at most ${maxItems} items.`);
}

/**
 * Reads the cuts, gaps, transitions, titles and files of a timeline, in turns with other work. Throws validation_error.
 */
export async function readOtio(timeline: OtioTimeline): Promise<ReadEdit> {
  const stack = timeline.tracks;
  requireFewItems(stack.children.map(({ children }) => children));
  const isOn = ({ enabled }: { readonly enabled?: boolean | null | undefined }) => enabled !== false;
  const tracks = isOn(stack) ? stack.children.filter(isOn) : [];
  const fps = fpsOf(timeline, tracks);
  const lost = new Set<string>();
  if (tracks.length < stack.children.length) lost.add("Tracks that are switched off are left out.");
  await yieldIfBusy();
  for (const part of [stack, ...tracks, ...tracks.flatMap(({ children }) => children)]) {
    // our own say where the scenes are
    if (part.markers?.some(({ name }) => !/^Scene \d+$/.test(name ?? ""))) lost.add("Markers are left out.");
  }
  for (const part of [stack, ...tracks]) {
    if (part.source_range) lost.add("Trims of whole tracks are left out.");
    if (part.effects?.some(isOn)) lost.add(lostEffects);
  }
  const edit = { rate: frameRateOf(fps), lost };
  const isSound = ({ kind }: Track) => kind === "Audio";
  const [main, ...above] = tracks.filter((track) => isKind(track, "Track") && !isSound(track));
  if (tracks.some((track) => !isKind(track, "Track"))) lost.add("Timelines within the timeline are left out.");
  const first = main ? await readTrack(main, edit) : { clips: [], titles: [] };
  const others: Content[] = [];
  for (const track of above) others.push(await readTrack(track, edit));
  if (others.some(({ clips }) => clips.some(({ transition }) => transition)))
    lost.add("Transitions of upper tracks are cuts.");
  const sounds: ReadClip[] = [];
  for (const track of tracks.filter(isSound)) sounds.push(...(await readTrack(track, edit)).clips);
  return {
    ...{ name: timeline.name?.trim() ?? "", fps, rate: edit.rate },
    canvas: Canvas.safeParse(timeline.metadata?.reelwright).data,
    clips: first.clips,
    overlays: others.flatMap(({ clips }) => clips),
    titles: [first, ...others].flatMap(({ titles }) => titles),
    sounds,
    lost: [...lost],
  };
}

const isKind = ({ OTIO_SCHEMA: name }: { readonly OTIO_SCHEMA: string }, kind: string) => name.startsWith(`${kind}.`);

const knownRates = [23.976, 24, 25, 29.97, 30, 50, 59.94, 60];

const knownRate = (rate: number): number | undefined => knownRates.find((one) => Math.abs(one - rate) < 0.005);

const isFrameRate = (rate: number | undefined): rate is number => rate !== undefined && rate >= 1 && rate <= 120;

/**
 * OpenTimelineIO has a rate for each time: that of the timeline's start, else of the first item of pictures that has one,
 * else of sound, which may count samples.
 */
function fpsOf({ global_start_time: start }: OtioTimeline, tracks: readonly Track[]): number {
  const pictures = tracks.filter(({ kind }) => kind !== "Audio");
  const rates = [...pictures, ...tracks].flatMap(({ children }) =>
    children.flatMap((item) => (item.source_range ?? mediaOf(item)?.available_range)?.duration.rate ?? []),
  );
  const rate = isFrameRate(start?.rate) && start.rate > 1 ? start.rate : (rates.find(isFrameRate) ?? rates[0]);
  if (rate === undefined) return 30;
  const fps = knownRate(rate) ?? toThousandths(rate);
  if (isFrameRate(fps)) return fps;
  throw invalid("tracks", "Must have between 1 and 120 frames per second.");
}

type Edit = { readonly rate: FrameRate; readonly lost: Set<string> };

/** Programs write rates of film and television with few digits. */
function secondsOf({ value, rate }: Time): number {
  const known = knownRate(rate);
  if (known === undefined) return value / rate;
  const { num, den } = frameRateOf(known);
  return (value * den) / num;
}

const lostEffects = "Effects and changes of speed are left out.";

type Content = { readonly clips: ReadClip[]; readonly titles: ReadTitle[] };

async function readTrack({ children }: Track, edit: Edit): Promise<Content> {
  const { rate, lost } = edit;
  const content: Content = { clips: [], titles: [] };
  let at = 0;
  // each item ends where the sum of lengths does: lengths rounded alone would drift
  let seconds = 0;
  let last: "clip" | "other" = "other";
  let pending: { readonly item: Item; readonly clips: number } | undefined;
  for (const [index, item] of children.entries()) {
    if (index % itemsAtOnce === 0) await yieldIfBusy();
    if (isKind(item, "Transition")) {
      if (last === "clip") pending = { item, clips: content.clips.length };
      else lost.add("Fades from and to black are left out.");
      continue;
    }
    const media = mediaOf(item);
    const range = item.source_range ?? media?.available_range;
    seconds += range ? secondsOf(range.duration) : 0;
    const end = Math.max(at, toFrame(seconds, rate));
    const isShown = end > at && isKind(item, "Clip") && item.enabled !== false;
    if (isShown && media && isKind(media, "GeneratorReference")) {
      content.titles.push(titleOf(item, media, { start: at, end }));
      last = "other";
    } else if (isShown && media && isKind(media, "ExternalReference")) {
      addClip(content.clips, clipOf(item, media, { start: at, end }, edit), item, lost);
      if (pending?.clips === content.clips.length - 1) joinBy(content.clips, pending.item, edit);
      last = "clip";
    } else {
      if (!isKind(item, "Gap")) lost.add(lostItem(item, isShown));
      last = "other";
    }
    if (pending && last === "other") lost.add("Fades from and to black are left out.");
    pending = undefined;
    at = end;
    if (at > maxSeconds * (rate.num / rate.den)) throw invalid("tracks", `Must last at most ${maxSeconds} seconds.`);
  }
  return content;
}

const lostItem = (item: Item, isShown: boolean): string =>
  isShown
    ? "Clips without a file are gaps."
    : isKind(item, "Clip")
      ? "Clips that are switched off are gaps."
      : "Timelines within the timeline are left out.";

const mediaOf = ({ media_reference: only, media_references: all, active_media_reference_key: key }: Item) =>
  (all && Object.hasOwn(all, key ?? "DEFAULT_MEDIA") ? all[key ?? "DEFAULT_MEDIA"] : only) ?? undefined;

type Place = { readonly start: number; readonly end: number };

function clipOf(item: Item, media: z.output<typeof Media>, place: Place, { rate }: Edit): ReadClip {
  // the time of a file need not begin with zero
  const origin = media.available_range ? secondsOf(media.available_range.start_time) : 0;
  const from = item.source_range ? secondsOf(item.source_range.start_time) : origin;
  const own = item.metadata?.reelwright;
  return {
    media: namedMedia(item, media),
    ...place,
    mediaStart: Math.max(0, toFrame(from - origin, rate)),
    volume: Volume.safeParse(own).data?.volume,
  };
}

/** The address is only read, never opened. */
function namedMedia(item: Item, media: z.output<typeof Media>): NamedMedia {
  const hash = [media.metadata, item.metadata].flatMap((one) => Hash.safeParse(one?.reelwright).data?.sha256 ?? [])[0];
  const end = (media.target_url ?? "").split(/[?#]/)[0]!.split(/[/\\]/).at(-1)!;
  const name = (decoded(end) || media.name || item.name || "").slice(0, 200);
  return { name, sha256: hash ?? ownName.exec(name)?.[1] };
}

/** Files of our own timelines end with the first digits of their hash; other editors keep names, but no metadata. */
const ownName = /-([0-9a-f]{12})\.[a-z0-9]+$/;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A held picture after its own clip only makes that clip longer. */
function addClip(clips: ReadClip[], clip: ReadClip, { effects }: Item, lost: Set<string>): void {
  const previous = clips.at(-1);
  const active = (effects ?? []).filter(({ enabled }) => enabled !== false);
  const speeds = active.flatMap((effect) => TimeWarp.safeParse(effect).data?.time_scalar ?? []);
  const names = active
    .filter((effect) => !TimeWarp.safeParse(effect).success)
    .map((effect) => effect.OTIO_SCHEMA.split(".")[0]);
  const speed = speeds.reduce((product, scalar) => product * scalar, 1);
  const isSpeed = Math.abs(speed) >= 0.1 && Math.abs(speed) <= 10;
  if (!isSpeed) lost.add(lostEffects);
  const isHeld = names.includes("FreezeFrame");
  if (names.some((name) => name !== "FreezeFrame")) lost.add(lostEffects);
  const isSame = previous?.end === clip.start && sameMedia(previous.media, clip.media);
  if (isHeld && previous && isSame && !previous.transition) clips[clips.length - 1] = { ...previous, end: clip.end };
  else clips.push(isSpeed && speed !== 1 ? { ...clip, speed } : clip);
}

const TimeWarp = z.looseObject({
  OTIO_SCHEMA: z.string().startsWith("LinearTimeWarp."),
  time_scalar: z.number().refine((scalar) => Math.abs(scalar) >= 0.1 && Math.abs(scalar) <= 10),
});

const sameMedia = (one: NamedMedia, other: NamedMedia) => one.sha256 === other.sha256 && one.name === other.name;

/** A transition lies on both sides of its cut; in a work it begins with the cut. */
function joinBy(clips: ReadClip[], { in_offset, out_offset, metadata }: Item, { rate }: Edit): void {
  const [from, to] = clips.slice(-2);
  if (!from || !to || from.end !== to.start) return;
  const before = in_offset ? Math.max(0, toFrame(secondsOf(in_offset), rate)) : 0;
  const after = out_offset ? Math.max(0, toFrame(secondsOf(out_offset), rate)) : 0;
  const { speed = 1 } = to;
  const available = speed > 0 ? Math.floor(to.mediaStart / speed) : before;
  const shift = Math.min(before, available, from.end - from.start - 1);
  const type = Transition.safeParse(metadata?.reelwright).data?.type ?? "dissolve";
  clips.splice(
    -2,
    2,
    {
      ...from,
      end: from.end - shift,
      transition: { type, frames: Math.min(shift + after, to.end - to.start + shift) },
    },
    { ...to, start: to.start - shift, mediaStart: to.mediaStart - shift * speed },
  );
}

function titleOf(item: Item, media: z.output<typeof Media>, place: Place): ReadTitle {
  const look = TitleLook.safeParse(media.parameters).data ?? {};
  return { ...place, text: look.text ?? media.name ?? item.name ?? "", look };
}
