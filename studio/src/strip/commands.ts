import { type Row, writeCaptions } from "../work/captions.ts";
import { leastSeconds, moveClip, removeClip, trimClip, withClips } from "../work/clips.ts";
import {
  type Clip,
  clipsOf,
  type Draft,
  type Overlay,
  type Range,
  round,
  type Sound,
  secondsOf,
  soundsOf,
  withEditor,
} from "../work/draft.ts";
import { overlaysOf, type Placed, putOverlay, removeOverlay } from "../work/overlays.ts";
import { type Item, type Member, memberKey, speedOf } from "./items.ts";

/** What commands need besides the draft. */
export type Context = {
  /** The shown captions, which become the draft's own when one of them is changed. */
  readonly captions: readonly Row[];
  readonly newId: () => string;
};

const membersOf = (items: readonly Item[]): readonly Member[] => [
  ...new Map(items.flatMap(({ members }) => members.map((member) => [memberKey(member), member] as const))).values(),
];

const idsIn = (members: readonly Member[], kind: Member["kind"]): ReadonlySet<string> =>
  new Set(members.filter((member) => member.kind === kind).map(({ id }) => id));

const overlaysIn = (draft: Draft, members: readonly Member[]): readonly Placed[] => {
  const keys = new Set(members.map(memberKey));
  return overlaysOf(draft).filter((placed) => keys.has(memberKey(placed)));
};

const writeRows = (draft: Draft, rows: readonly Row[]): Draft =>
  writeCaptions(
    draft,
    rows.toSorted((one, other) => one.start - other.start),
  );

const withSounds = (draft: Draft, edit: (sound: Sound, at: number) => readonly Sound[]): Draft =>
  withEditor(draft, { sounds: soundsOf(draft).flatMap(edit) });

/** Moves bars by so many seconds, at most to the start of the film. Scenes stay: they have an order. */
export function moveItems(draft: Draft, items: readonly Item[], by: number, { captions }: Context): Draft {
  const moved = items.filter(({ members }) => members.some(({ kind }) => kind !== "clip"));
  const shift = round(Math.max(by, -Math.min(...moved.map(({ start }) => start))));
  if (moved.length === 0 || shift === 0) return draft;
  const members = membersOf(moved);
  const later = (range: Range): Range => ({
    start: Math.max(0, round(range.start + shift)),
    end: round(range.end + shift),
  });
  const overlays = overlaysIn(draft, members).reduce(
    (next, placed) => putOverlay(next, placed, {}, later(placed)),
    draft,
  );
  const sounds = idsIn(members, "sound");
  const heard =
    sounds.size === 0
      ? overlays
      : withSounds(overlays, (sound, at) => {
          if (!sounds.has(String(at))) return [sound];
          const { position = 0, end } = sound;
          return [
            { ...sound, position: round(position + shift), ...(end !== undefined && { end: round(end + shift) }) },
          ];
        });
  const lines = idsIn(members, "caption");
  if (lines.size === 0) return heard;
  const rows = captions.map((row, at) => (lines.has(String(at)) ? shiftedRow(row, shift) : row));
  return writeRows(heard, rows);
}

const shiftedRow = (row: Row, by: number): Row => ({
  ...row,
  ...{ start: Math.max(0, round(row.start + by)), end: round(row.end + by) },
  ...(row.marks && { marks: row.marks.map((mark) => round(mark + by)) }),
});

/** Moves a scene to where its middle lies between the others. */
export function placeClip(draft: Draft, id: string, by: number): Draft {
  const clips = clipsOf(draft);
  const clip = clips.find((each) => each.id === id);
  if (!clip) return draft;
  const middle = (clip.start + clip.end) / 2 + by;
  const to = clips.filter((each) => each !== clip && (each.start + each.end) / 2 < middle).length;
  return moveClip(draft, id, to);
}

export type Edge = "start" | "end";

/** Sets the start or the end of a bar. Later scenes move along with a scene's end. */
export function trimItem(draft: Draft, item: Item, edge: Edge, to: number, { captions }: Context): Draft {
  const [first] = item.members;
  if (!first) return draft;
  if (first.kind === "clip") return trimScene(draft, first.id, edge, to);
  const [start, end] = [item.start, item.end];
  const at =
    edge === "start" ? Math.min(Math.max(0, to), end - leastSeconds) : Math.max(to, round(start + leastSeconds));
  const trimmed = (range: Range): Range => {
    const isAtEdge = Math.abs(range[edge] - item[edge]) < 0.001;
    if (edge === "start")
      return {
        start: round(isAtEdge || range.start < at ? Math.min(at, range.end - 0.05) : range.start),
        end: range.end,
      };
    return {
      start: range.start,
      end: round(isAtEdge || range.end > at ? Math.max(at, range.start + 0.05) : range.end),
    };
  };
  const overlays = overlaysIn(draft, item.members).reduce(
    (next, placed) => putOverlay(next, placed, {}, trimmed(placed)),
    draft,
  );
  if (first.kind === "sound")
    return withSounds(overlays, (sound, index) => {
      if (String(index) !== first.id) return [sound];
      const { cutFrom = 0, speed } = sound;
      if (edge === "end") return [{ ...sound, end: round(at) }];
      // the sound of each moment stays
      const cut = cutFrom + (at - start) * speedOf(speed);
      // a file has nothing before its start
      const begin = cut < 0 ? at - cut / speedOf(speed) : at;
      return [{ ...sound, position: round(begin), cutFrom: round(Math.max(0, cut)), end: round(end) }];
    });
  if (first.kind !== "caption") return overlays;
  const rows = captions.map((row, index) => (String(index) === first.id ? { ...row, ...trimmed(row) } : row));
  return writeRows(overlays, rows);
}

function trimScene(draft: Draft, id: string, edge: Edge, to: number): Draft {
  const clip = clipsOf(draft).find((each) => each.id === id);
  if (!clip) return draft;
  const { trimStart = 0, start, end } = clip;
  if (edge === "end") return trimClip(draft, id, { from: trimStart, to: trimStart + to - start });
  const from = Math.max(0, trimStart + Math.min(to - start, end - start - leastSeconds));
  return trimClip(draft, id, { from, to: trimStart + end - start });
}

const isInside = ({ start, end }: Range, at: number): boolean => at - start >= 0.05 && end - at >= 0.05;

/** Cuts bars in two at a time. Bars that it does not meet stay. */
export function splitItems(draft: Draft, items: readonly Item[], at: number, { captions, newId }: Context): Draft {
  const members = membersOf(items);
  const groups = new Map<unknown, string>();
  const groupOf = (group: unknown) => {
    if (!groups.has(group)) groups.set(group, `group-${newId()}`);
    return groups.get(group);
  };
  const cut = overlaysIn(draft, members).filter((placed) => isInside(placed, at));
  let next = cut.reduce((changed, placed) => {
    const { exit: _exit, animateOut: _out, ...first } = placed.overlay;
    const { enter: _enter, animateIn: _in, ...second } = placed.overlay;
    const gone = Object.fromEntries(
      ["exit", "animateOut"].flatMap((field) => (field in placed.overlay ? [[field, undefined]] : [])),
    );
    const kept = putOverlay(changed, placed, { ...first, ...gone }, { start: placed.start, end: round(at) });
    const name = { kind: placed.kind, id: `${placed.kind}-${newId()}-s` };
    const group = typeof second.group === "string" ? { group: groupOf(second.group) } : {};
    return putOverlay(kept, name, { ...second, ...group }, { start: round(at), end: placed.end });
  }, draft);
  const clips = idsIn(members, "clip");
  const scene = clipsOf(next).find(
    ({ id, start, end }) => clips.has(id) && at - start > leastSeconds - 0.001 && end - at > leastSeconds - 0.001,
  );
  if (scene) next = splitClip(next, scene, at, newId);
  const sounds = new Set(
    items.flatMap((item) => (item.kind === "sound" && isInside(item, at) ? item.members.map(({ id }) => id) : [])),
  );
  if (sounds.size > 0) {
    const ends = new Map(items.map((item) => [item.members[0]?.id, item.end]));
    next = withSounds(next, (sound, index) => {
      if (!sounds.has(String(index))) return [sound];
      const { position = 0, cutFrom = 0, speed } = sound;
      const { fadeOut: _fadeOut, ...first } = sound;
      const { fadeIn: _fadeIn, ...second } = sound;
      const from = round(cutFrom + (at - position) * speedOf(speed));
      return [
        { ...first, end: round(at) },
        { ...second, position: round(at), cutFrom: from, end: round(ends.get(String(index)) ?? at + leastSeconds) },
      ];
    });
  }
  const lines = idsIn(members, "caption");
  const isCut = (row: Row, index: number) => lines.has(String(index)) && isInside(row, at);
  if (!captions.some(isCut)) return next;
  return writeRows(
    next,
    captions.flatMap((row, index) => (isCut(row, index) ? splitRow(row, at) : [row])),
  );
}

/** The words that begin before the time, and the others; without their times, in proportion. */
function splitRow({ start, end, text, marks }: Row, at: number): readonly Row[] {
  const words = text.split(/\s+/);
  const count = marks
    ? marks.filter((mark) => mark < at).length
    : Math.round((words.length * (at - start)) / (end - start));
  const middle = Math.min(Math.max(1, count), Math.max(1, words.length - 1));
  const part = (from: number, to: number | undefined, range: Range): readonly Row[] => {
    const own = words.slice(from, to);
    return own.length === 0 ? [] : [{ ...range, text: own.join(" "), ...(marks && { marks: marks.slice(from, to) }) }];
  };
  return [...part(0, middle, { start, end: round(at) }), ...part(middle, undefined, { start: round(at), end })];
}

/** Nothing moves in time: texts stay where they are. */
function splitClip(draft: Draft, clip: Clip, at: number, newId: () => string): Draft {
  const { trimStart = 0, start, end } = clip;
  const { transitionType: _type, transitionDuration: _seconds, ...first } = clip;
  const from = round(trimStart + (at - start) * speedOf(clip.speed));
  const second: Clip = { ...clip, id: `clip-${newId()}`, start: round(at), end, trimStart: from };
  const track = clipsOf(draft).flatMap((each) => (each === clip ? [{ ...first, end: round(at) }, second] : [each]));
  return withEditor(draft, { editorData: { ...draft.editor.editorData, videoTrack: track } });
}

/** Removes bars. The last scene stays. */
export function removeItems(draft: Draft, items: readonly Item[], { captions }: Context): Draft {
  const members = membersOf(items);
  const sounds = idsIn(members, "sound");
  const lines = idsIn(members, "caption");
  let next = overlaysIn(draft, members).reduce(removeOverlay, draft);
  if (sounds.size > 0) next = withSounds(next, (sound, at) => (sounds.has(String(at)) ? [] : [sound]));
  if (lines.size > 0)
    next = writeRows(
      next,
      captions.filter((_, at) => !lines.has(String(at))),
    );
  if (items.some(({ kind }) => kind === "music")) next = withEditor(next, { audioUrl: undefined });
  return [...idsIn(members, "clip")].reduce(removeClip, next);
}

/** Bars as they were when they were copied. */
export type Copied = {
  readonly start: number;
  readonly clips: readonly Clip[];
  readonly overlays: readonly Placed[];
  readonly sounds: readonly Sound[];
};

/** Copies bars, and with a scene what begins and ends in it. Captions stay: they are what is said. */
export function copyItems(draft: Draft, items: readonly Item[]): Copied | undefined {
  const members = membersOf(items);
  const ids = idsIn(members, "clip");
  const clips = clipsOf(draft).filter(({ id }) => ids.has(id));
  const isInClip = ({ start, end }: Placed) =>
    clips.some((clip) => start >= clip.start - 0.001 && start < clip.end && end <= clip.end + leastSeconds);
  const keys = new Set(members.map(memberKey));
  const overlays = overlaysOf(draft).filter((placed) => keys.has(memberKey(placed)) || isInClip(placed));
  const heard = idsIn(members, "sound");
  const sounds = soundsOf(draft).filter((_, at) => heard.has(String(at)));
  const starts = [...clips, ...overlays].map(({ start }) => start);
  const start = Math.min(...starts, ...sounds.map(({ position = 0 }) => position));
  return Number.isFinite(start) ? { start, clips, overlays, sounds } : undefined;
}

/** Inserts copied bars at a time; scenes after the one that is shown then, so that later ones move along. */
export function pasteItems(draft: Draft, copied: Copied, at: number, { newId }: Context): Draft {
  const { clips, overlays, sounds, start } = copied;
  const track = clipsOf(draft);
  const index = track.filter((clip) => clip.start < at - 0.001).length;
  const begin = clips.length === 0 ? round(at) : (track[index - 1]?.end ?? 0);
  const length = clips.reduce((sum, clip) => sum + clip.end - clip.start, 0);
  let from = begin;
  const added = clips.map((clip): Clip => {
    const range = { start: round(from), end: round(from + clip.end - clip.start) };
    from = range.end;
    return { ...clip, id: `clip-${newId()}`, ...range };
  });
  const later = track
    .slice(index)
    .map((clip) => ({ ...clip, start: round(clip.start + length), end: round(clip.end + length) }));
  const inserted = added.length === 0 ? draft : withClips(draft, [...track.slice(0, index), ...added, ...later]);
  const by = begin - start;
  const groups = new Map<unknown, string>();
  const groupOf = ({ group }: Overlay) => {
    if (typeof group !== "string") return {};
    if (!groups.has(group)) groups.set(group, `group-${newId()}`);
    return { group: groups.get(group) };
  };
  // each copied scene moves by its own distance
  const shiftOf = (placed: Placed) => {
    const clip = clips.findIndex((each) => placed.start >= each.start - 0.001 && placed.start < each.end);
    const [old, next] = [clips[clip], added[clip]];
    return old && next ? next.start - old.start : by;
  };
  const shown = overlays.reduce((next, placed) => {
    const range = { start: round(placed.start + shiftOf(placed)), end: round(placed.end + shiftOf(placed)) };
    const name = { kind: placed.kind, id: `${placed.kind}-${newId()}-s` };
    return putOverlay(next, name, { ...placed.overlay, ...groupOf(placed.overlay) }, range);
  }, inserted);
  if (sounds.length === 0) return shown;
  const heard = sounds.map((sound): Sound => {
    const { position = 0, end } = sound;
    return { ...sound, position: round(position + by), ...(end !== undefined && { end: round(end + by) }) };
  });
  return withEditor(shown, { sounds: [...soundsOf(shown), ...heard] });
}

/** Copies bars to the time after them. */
export function duplicateItems(draft: Draft, items: readonly Item[], context: Context): Draft {
  const copied = copyItems(draft, items);
  if (!copied) return draft;
  const end = Math.max(...items.filter(({ members }) => members.length > 0).map((item) => item.end));
  // what fits nowhere behind lies over the original
  const fits = copied.clips.length > 0 || end < secondsOf(draft) - leastSeconds;
  return pasteItems(draft, copied, fits ? end : copied.start, context);
}
