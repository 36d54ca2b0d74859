import type { Preview } from "../api.ts";
import { covers, eventOf, settled } from "./buffers.ts";
import { download, GoneError } from "./download.ts";

type Quality = Preview["quality"];
type Segment = Preview["video"]["segments"][number];

/** Lists the parts to play. */
export type LoadPreview = (quality: Quality) => Promise<Preview>;

type Listeners = {
  /** Called with the quality of the frame that is shown. */
  readonly onQuality: (quality: Quality) => void;
  /** Called when playing has failed. */
  readonly onFailure: (error: unknown) => void;
};

type Stream = {
  /** Shows the parts that `load` lists: equal segments stay. `standard` is its last answer. */
  show(load: LoadPreview, standard?: Preview): Promise<void>;
  /** Stops requesting parts that are about to change: the service drops renders without a client. */
  hold(): void;
  /** Continues after `hold` without a change. */
  resume(): void;
  /** The quality of each shown segment; undefined for missing ones. */
  qualities(): readonly (Quality | undefined)[];
  close(): void;
};

/** Phones have only the second one, which may drop its content at any time. */
const Source: typeof MediaSource | undefined =
  globalThis.MediaSource ?? (globalThis as { ManagedMediaSource?: typeof MediaSource }).ManagedMediaSource;

export const canStream = ({ video, audio }: Preview): boolean =>
  [video, audio].every(({ mimeType }) => Source?.isTypeSupported(mimeType));

/** Concurrent requests: better segments leave room for missing ones. */
const requestsAtOnce = 3;
/** Until the playhead can play, later parts do not take cores from the first ones. */
const firstAtOnce = 2;
const betterAtOnce = 1;
/** A longer film is not held completely, even less where the browser has no room. */
const aheadSeconds = 40;
const leastAheadSeconds = 5;
const behindSeconds = 10;
/** A segment that will be played within this time is not replaced. */
const untouchedSeconds = 1;

type Version = { readonly standard: Preview; readonly draft: Preview | undefined };
type Wanted = { readonly segment: Segment; readonly quality: Quality; readonly preview: Preview };

/**
 * Plays the segments of a film from its preview: rendered ones at once, drafts of the others until they are rendered.
 * The video element plays and seeks as usual.
 */
export function openStream(element: HTMLVideoElement, { onQuality, onFailure }: Listeners): Stream {
  // safe because `canStream` comes first
  const source = new Source!();
  let version: Version | undefined;
  let loadVersion: LoadPreview | undefined;
  let isClosed = false;
  let isOnHold = false;
  let lastInit = "";
  let soundId = "";
  let ahead = aheadSeconds;
  /** True while the element shows a removed frame. */
  let isStale = false;
  let buffers: { readonly video: SourceBuffer; readonly sound: SourceBuffer } | undefined;
  /** Appended segments by first frame. */
  const held = new Map<number, { readonly id: string; readonly quality: Quality }>();
  const requests = new Map<number, { readonly quality: Quality; readonly abort: AbortController }>();

  element.disableRemotePlayback = true;
  const address = URL.createObjectURL(source);
  element.src = address;
  const opened = new Promise<void>((resolve) => source.addEventListener("sourceopen", () => resolve(), { once: true }));

  /** Changes of the buffers run one after another. */
  let changes: Promise<unknown> = opened;
  const change = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const done = changes.then(act);
    changes = done.catch(() => {});
    return done;
  };

  const frameNow = () => Math.floor(element.currentTime * (version?.standard.fps ?? 1) + 0.01);
  const isInside = ({ start, end }: Segment, frame: number) => frame >= start && frame < end;

  function isHeld({ start, end, id }: Segment, fps: number): boolean {
    const known = held.get(start);
    const isKnown = known?.id === id || known?.id === draftOf(start)?.id;
    return isKnown && known !== undefined && covers(buffers!.video.buffered, (start + 0.5) / fps, (end - 0.5) / fps);
  }

  const draftOf = (start: number) => version?.draft?.video.segments.find((segment) => segment.start === start);

  /** The segments to hold, in the order in which they will be shown. */
  function segmentsAhead({ standard: { fps, durationSeconds, video } }: Version): readonly Segment[] {
    const frame = Math.min(frameNow(), (video.segments.at(-1)?.end ?? 1) - 1);
    const at = Math.max(
      0,
      video.segments.findIndex((segment) => isInside(segment, frame)),
    );
    const segments = [...video.segments.slice(at), ...video.segments.slice(0, at)];
    if (durationSeconds <= ahead) return segments;
    return segments.filter(({ start, end }) => end > frame && start < frame + ahead * fps);
  }

  /** True if nothing is missing from the playhead to the end. */
  const isHeldToEnd = ({ standard: { fps, video } }: Version): boolean =>
    video.segments.filter(({ end }) => end > frameNow()).every((segment) => isHeld(segment, fps));

  function next(current: Version): Wanted | undefined {
    const { standard, draft } = current;
    const free = segmentsAhead(current).filter(({ start }) => !requests.has(start));
    const missing = free.find((segment) => !isHeld(segment, standard.fps));
    if (missing) {
      const rough = missing.cached ? undefined : draftOf(missing.start);
      return rough && draft
        ? { segment: rough, quality: "draft", preview: draft }
        : { segment: missing, quality: "standard", preview: standard };
    }
    if ([...requests.values()].filter(({ quality }) => quality === "standard").length >= betterAtOnce) return undefined;
    const better = free.find(({ start }) => held.get(start)?.quality === "draft");
    return better && { segment: better, quality: "standard", preview: standard };
  }

  function pump(): void {
    if (isClosed || isOnHold || !version || !buffers) return;
    showQuality();
    const [first] = segmentsAhead(version);
    const atOnce = first && isHeld(first, version.standard.fps) ? requestsAtOnce : firstAtOnce;
    for (let wanted = next(version); wanted && requests.size < atOnce; wanted = next(version)) {
      const { segment, quality } = wanted;
      const abort = new AbortController();
      requests.set(segment.start, { quality, abort });
      void take(wanted, abort.signal)
        .catch((error: unknown) => {
          if (!abort.signal.aborted && !isClosed) fail(error);
        })
        .finally(() => {
          if (requests.get(segment.start)?.abort === abort) requests.delete(segment.start);
          pump();
        });
    }
    // otherwise the element would wait for more at the end, and a better segment for the element
    if (isHeldToEnd(version)) {
      void change(async () => {
        const isWhole = version !== undefined && isHeldToEnd(version);
        if (isWhole && soundId !== "" && source.readyState === "open") source.endOfStream();
      }).catch(() => {});
    }
  }

  function fail(error: unknown): void {
    if (error instanceof GoneError && loadVersion) void show(loadVersion).catch(onFailure);
    else onFailure(error);
  }

  async function take({ segment, quality, preview }: Wanted, signal: AbortSignal): Promise<void> {
    const bytes = await download(segment.url, signal);
    const init = await download(segment.initUrl, signal);
    if (quality === "standard" && held.has(segment.start)) await untilLeft(segment, preview.fps, signal);
    await change(async () => {
      signal.throwIfAborted();
      await append({ segment, quality, preview }, { init, bytes });
    });
  }

  /** While the film plays, visible and imminent frames are not replaced. */
  async function untilLeft({ start, end }: Segment, fps: number, signal: AbortSignal): Promise<void> {
    const isNear = () => {
      const frame = frameNow();
      return !element.paused && frame < end && frame + untouchedSeconds * fps >= start;
    };
    while (isNear()) await eventOf(element, ["timeupdate", "pause", "seeking", "ended"], signal);
  }

  async function append(
    { segment, quality, preview }: Wanted,
    { init, bytes }: { readonly init: ArrayBuffer; readonly bytes: ArrayBuffer },
  ): Promise<void> {
    const { video } = buffers!;
    const replaces = held.has(segment.start);
    const isSeen = isInside(segment, frameNow());
    if (replaces) await removeFrames(segment, preview.fps);
    const name = String.fromCharCode(...new Uint8Array(init));
    const appendParts = async () => {
      if (name !== lastInit) await settled(video, () => video.appendBuffer(init));
      lastInit = name;
      await settled(video, () => video.appendBuffer(bytes));
    };
    video.timestampOffset = preview.video.timestampOffset;
    await appendParts().catch(async (error: unknown) => {
      if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
      ahead = Math.max(leastAheadSeconds, ahead / 2);
      await removeFar(preview.fps);
      await appendParts();
    });
    held.set(segment.start, { id: segment.id, quality });
    // a paused element does not redraw automatically
    if (isSeen && (replaces || isStale) && element.paused) element.currentTime += 0;
    if (isSeen) isStale = false;
  }

  /** Frames begin within a millionth of a second of their times. */
  const removeFrames = ({ start, end }: Pick<Segment, "start" | "end">, fps: number) =>
    settled(buffers!.video, () => buffers!.video.remove(Math.max(0, (start - 0.25) / fps), (end - 0.25) / fps));

  async function removeFar(fps: number): Promise<void> {
    const from = frameNow() - behindSeconds * fps;
    const to = frameNow() + ahead * fps;
    for (const { start, end } of version!.standard.video.segments) {
      if (!held.has(start) || (end > from && start < to)) continue;
      await removeFrames({ start, end }, fps);
      held.delete(start);
    }
  }

  function showQuality(): void {
    const seen = version?.standard.video.segments.find((segment) => isInside(segment, frameNow()));
    onQuality((seen && held.get(seen.start)?.quality) ?? "standard");
  }

  function hold(): void {
    isOnHold = true;
    for (const { abort } of requests.values()) abort.abort();
    requests.clear();
  }

  function resume(): void {
    isOnHold = false;
    pump();
  }

  /** Lists the parts in `standard`, and in `draft` unless everything is rendered, which is rare after an edit. */
  async function list(load: LoadPreview, known: Preview | undefined): Promise<Version> {
    if (known?.video.segments.every(({ cached }) => cached)) return { standard: known, draft: undefined };
    const [standard, draft] = await Promise.all([known ?? load("standard"), load("draft")]);
    return { standard, draft };
  }

  async function show(load: LoadPreview, first?: Preview): Promise<void> {
    loadVersion = load;
    hold();
    const isCurrent = () => !isClosed && loadVersion === load;
    const listed = await list(load, first).catch((error: unknown) => {
      if (!version) throw error;
      return undefined;
    });
    // on failure, the previous version stays
    if (!listed) return isCurrent() ? resume() : undefined;
    const { standard, draft } = listed;
    await opened;
    if (!isCurrent()) return;
    buffers ??= {
      video: source.addSourceBuffer(standard.video.mimeType),
      sound: source.addSourceBuffer(standard.audio.mimeType),
    };
    const known = new Set([standard, draft].flatMap((each) => each?.video.segments.map(({ id }) => id) ?? []));
    const { fps } = version?.standard ?? standard;
    const old = version?.standard.video.segments ?? [];
    version = { standard, draft };
    await change(async () => {
      for (const segment of old) {
        if (known.has(held.get(segment.start)?.id ?? "")) continue;
        await removeFrames(segment, fps);
        held.delete(segment.start);
        isStale ||= isInside(segment, frameNow());
      }
      const rest = [buffers!.video, buffers!.sound].filter(({ buffered }) => buffered.length > 0);
      for (const buffer of rest) {
        // the end of a whole film may be a rounding error before its last frame's, and nothing may be removed behind it
        const end = Math.min(standard.durationSeconds, source.duration);
        await settled(buffer, () => buffer.remove(end, Number.POSITIVE_INFINITY));
      }
      if (source.readyState === "ended" || source.duration !== standard.durationSeconds)
        source.duration = standard.durationSeconds;
    });
    if (!isCurrent()) return;
    resume();
    await hear(standard);
    pump();
  }

  async function hear({ audio, durationSeconds }: Preview): Promise<void> {
    if (audio.id === soundId) return;
    const bytes = await download(audio.url, undefined);
    await change(async () => {
      if (isClosed || version?.standard.audio.id !== audio.id) return;
      const { sound } = buffers!;
      if (sound.buffered.length > 0) await settled(sound, () => sound.remove(0, Number.POSITIVE_INFINITY));
      sound.appendWindowEnd = durationSeconds;
      await settled(sound, () => sound.appendBuffer(bytes));
      soundId = audio.id;
    });
  }

  /** Aborts requests for parts that are no longer needed. */
  function leaveFar(): void {
    const { fps = 1 } = version?.standard ?? {};
    for (const [start, { abort }] of requests) {
      if (start + fps < frameNow() || start > frameNow() + 2 * fps) abort.abort();
    }
    pump();
  }

  element.addEventListener("seeking", leaveFar);
  element.addEventListener("seeked", pump);
  element.addEventListener("timeupdate", pump);
  source.addEventListener("startstreaming", pump);
  return {
    ...{ hold, resume },
    show: (load, standard) =>
      show(load, standard).catch((error: unknown) => {
        if (!isClosed) onFailure(error);
      }),
    qualities: () =>
      version?.standard.video.segments.map((segment) =>
        isHeld(segment, version!.standard.fps) ? held.get(segment.start)?.quality : undefined,
      ) ?? [],
    close() {
      isClosed = true;
      for (const { abort } of requests.values()) abort.abort();
      element.removeEventListener("seeking", leaveFar);
      element.removeEventListener("seeked", pump);
      element.removeEventListener("timeupdate", pump);
      URL.revokeObjectURL(address);
    },
  };
}
