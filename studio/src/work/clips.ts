import { rowsOf, vttOf } from "./captions.ts";
import { type Clip, clipsOf, type Draft, layersOf, type Range, round, soundsOf, withEditor } from "./draft.ts";

export const changeClip = (draft: Draft, id: string, changes: Partial<Clip>): Draft =>
  withClips(
    draft,
    clipsOf(draft).map((clip) => (clip.id === id ? { ...clip, ...changes } : clip)),
  );

/** Moves the clip to another index: all clips are then adjacent. */
export function moveClip(draft: Draft, id: string, to: number): Draft {
  const clips = clipsOf(draft);
  const clip = clips.find((each) => each.id === id);
  const place = Math.max(0, Math.min(to, clips.length - 1));
  if (!clip || clips[place] === clip) return draft;
  const moved = clips.filter((each) => each !== clip).toSpliced(place, 0, clip);
  let start = clips[0]!.start;
  return withClips(
    draft,
    moved.map((each) => {
      const begins = start;
      start = round(start + each.end - each.start);
      return { ...each, start: begins, end: start };
    }),
  );
}

export function removeClip(draft: Draft, id: string): Draft {
  const clips = clipsOf(draft);
  const at = clips.findIndex((clip) => clip.id === id);
  if (at === -1 || clips.length === 1) return draft;
  const { start, end } = clips[at]!;
  const by = start - (clips[at + 1]?.start ?? end);
  return withClips(
    draft,
    clips.filter((clip) => clip.id !== id).map((clip, place) => (place < at ? clip : shifted(clip, by))),
  );
}

/** At least three frames at the lowest frame rate. */
export const leastSeconds = 0.2;

/** Trims the clip to a range of its source, in seconds. Later clips move along. */
export function trimClip(
  draft: Draft,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
): Draft {
  const clips = clipsOf(draft);
  const at = clips.findIndex((clip) => clip.id === id);
  const clip = clips[at];
  if (!clip) return draft;
  const trimStart = round(Math.max(0, from));
  const end = round(clip.start + Math.max(leastSeconds, to - trimStart));
  const trimmed = clips.map((each, place) => {
    if (place < at) return each;
    return place === at ? { ...each, trimStart, end } : shifted(each, end - clip.end);
  });
  return withClips(draft, trimmed);
}

const shifted = <Shifted extends Range>(range: Shifted, by: number): Shifted => ({
  ...range,
  start: round(range.start + by),
  end: round(range.end + by),
});

/** Words may end with the picture, during the transition to the next scene. */
const tailSeconds = 0.5;
const tolerance = 0.001;

/** The new range of an item, which moves with the clip in which it begins; undefined if that was removed. */
function retime(range: Range, before: readonly Clip[], after: readonly Clip[]): Range | undefined {
  const clip = before.findLast(({ start }) => start <= range.start + tolerance);
  if (!clip) return range;
  const endOf = (clips: readonly Clip[]) => Math.max(0, ...clips.map(({ end }) => end));
  if (range.end > clip.end + tailSeconds) {
    const staysToEnd = range.end >= endOf(before) - tolerance;
    return { ...range, end: staysToEnd ? Math.max(endOf(after), range.start + leastSeconds) : range.end };
  }
  const next = after.find(({ id }) => id === clip.id);
  if (!next) return undefined;
  const [oldLength, length] = [clip.end - clip.start, next.end - next.start];
  const endsWithClip = range.end >= clip.end - tailSeconds;
  const end = endsWithClip ? range.end - clip.start + length - oldLength : Math.min(range.end - clip.start, length);
  const start = Math.max(0, Math.min(range.start - clip.start, end - leastSeconds));
  return { start: round(next.start + start), end: round(next.start + Math.max(end, start + leastSeconds)) };
}

/** Replaces the clips: texts, images, layers, effects and captions move with theirs. */
export function withClips(draft: Draft, videoTrack: readonly Clip[]): Draft {
  const before = clipsOf(draft);
  const { editorData, captions, otherCaptions } = draft.editor;
  const isSame = videoTrack.length === before.length && videoTrack.every((clip, at) => hasTimesOf(clip, before[at]!));
  if (isSame) return withEditor(draft, { editorData: { ...editorData, videoTrack } });
  const follow = <Timed extends Range>(list: readonly Timed[]) =>
    list.flatMap((item) => {
      const range = retime(item, before, videoTrack);
      return range ? [{ ...item, ...range }] : [];
    });
  const followed = (vtt: string) => vttOf(follow(rowsOf(vtt)).toSorted((a, b) => a.start - b.start));
  const textTrack = follow(editorData.textTrack);
  const imageTrack = follow(editorData.imageTrack);
  /** Those without times last as long as the film. */
  const followTimed = <Timed extends { readonly position?: number; readonly end?: number }>(list: readonly Timed[]) =>
    list.flatMap((item) => {
      if (item.position === undefined && item.end === undefined) return [item];
      const start = item.position ?? 0;
      const range = retime({ start, end: item.end ?? start + leastSeconds }, before, videoTrack);
      return range ? [{ ...item, position: range.start, ...(item.end !== undefined && { end: range.end }) }] : [];
    });
  return withEditor(draft, {
    editorData: { ...editorData, videoTrack, textTrack, imageTrack },
    ...(layersOf(draft).length > 0 && { layers: followTimed(layersOf(draft)) }),
    ...(soundsOf(draft).length > 0 && { sounds: followTimed(soundsOf(draft)) }),
    ...(captions?.vtt && { captions: { ...captions, vtt: followed(captions.vtt) } }),
    ...(otherCaptions && {
      otherCaptions: Object.fromEntries(Object.entries(otherCaptions).map(([tag, vtt]) => [tag, followed(vtt)])),
    }),
  });
}

const hasTimesOf = (clip: Clip, { id, start, end }: Clip): boolean =>
  clip.id === id && clip.start === start && clip.end === end;
