import { type Row, rowsOf } from "../work/captions.ts";
import { clipsOf, type Draft, type Range, type Sound, secondsOf, soundsOf } from "../work/draft.ts";
import { type OverlayKind, overlaysOf, type Placed } from "../work/overlays.ts";
import { wordsOf } from "../work/words-in.ts";

/** What commands change: a scene, an overlay, a line of the captions or a sound. Lines and sounds have their index as id. */
export type Member = { readonly kind: "clip" | "caption" | "sound" | OverlayKind; readonly id: string };

/** A bar of the strip. A title is one bar: its texts, and the parts of its look that move with them. */
export type Item = Range & {
  readonly key: string;
  readonly kind: Member["kind"] | "music" | "voice";
  readonly name: string;
  /** Empty for what lies where it lies: the music, and the voices of scenes. */
  readonly members: readonly Member[];
  /** The start of each word, if all are known. */
  readonly marks?: readonly number[] | undefined;
  /** The file of a sound, and where it begins in it. */
  readonly url?: string | undefined;
  readonly cutFrom?: number;
  readonly speed?: number;
  readonly repeats?: boolean;
};

export type LaneKind = "clip" | "overlay" | "caption" | "sound";
/** Rows from the highest to the lowest. */
export type Lane = { readonly kind: LaneKind; readonly rows: readonly (readonly Item[])[] };

export type Around = {
  /** The shown captions: those of the draft, or those that the service makes of the spoken words. */
  readonly captions: readonly Row[];
  /** The seconds of a sound's file, once they are known. */
  readonly lengthOf: (url: string | undefined) => number | undefined;
  readonly voices?: readonly (Range & { readonly url: string })[];
  /** The path of an asset of the project. */
  readonly assetUrl: (assetId: string) => string;
};

export const memberKey = ({ kind, id }: Member): string => `${kind} ${id}`;

/** The captions of the draft itself; undefined if they are made of other sources. */
export const ownCaptions = ({ editor: { captions } }: Draft): readonly Row[] | undefined =>
  captions?.vtt === undefined ? undefined : rowsOf(captions.vtt ?? "");

export function lanesOf(draft: Draft, around: Around): readonly Lane[] {
  const lanes: readonly Lane[] = [
    { kind: "clip", rows: [clipItems(draft)] },
    { kind: "overlay", rows: stacked(overlayItems(draft)) },
    { kind: "caption", rows: stacked(captionItems(around.captions)) },
    { kind: "sound", rows: stacked(soundItems(draft, around)) },
  ];
  return lanes.filter(({ rows }) => rows.some((row) => row.length > 0));
}

export const itemsIn = (lanes: readonly Lane[]): readonly Item[] => lanes.flatMap(({ rows }) => rows.flat());

const clipItems = (draft: Draft): readonly Item[] =>
  clipsOf(draft).map(({ id, start, end }, at) => {
    const member = { kind: "clip", id } as const;
    return { key: memberKey(member), kind: "clip", start, end, name: String(at + 1), members: [member] };
  });

/** The name of an overlay: its words, or for others nothing that people know. */
export const wordsIn = (placed: Placed): string => wordsOf(placed.overlay).replace(/\s+/g, " ").trim();

/** The name of a layer: looks name the parts of their scenes, and files their layers. */
export const partName = (id: string): string => id.replace(/^look-\d+-|^film-|-[a-z0-9]{16,}-s$/g, "");

const defaultHeights = { image: 0, text: 0, layer: 2 } as const;
const heightOf = ({ kind, overlay: { layer } }: Placed): number =>
  typeof layer === "number" ? layer : defaultHeights[kind];

/** Overlays of one `group` that are shown together; each of the others alone. */
export function groupsOf(draft: Draft): readonly (readonly Placed[])[] {
  const groups: Placed[][] = [];
  for (const placed of overlaysOf(draft)) {
    const { group } = placed.overlay;
    const known = groups.find((members) => isWith(members, placed) && typeof group === "string" && group !== "");
    if (known) known.push(placed);
    else groups.push([placed]);
  }
  return groups;
}

const isWith = (members: readonly Placed[], { overlay, start, end }: Placed): boolean =>
  members[0]?.overlay.group === overlay.group && members.some((each) => each.start < end && start < each.end);

const memberOf = ({ kind, id }: Placed): Member => ({ kind, id });

/** From the highest to the lowest. */
function overlayItems(draft: Draft): readonly Item[] {
  const items = groupsOf(draft).flatMap((group) => {
    const texts = group.filter(({ kind }) => kind === "text");
    const others = group.filter(({ kind }) => kind !== "text");
    const title = texts[0] && {
      ...itemOf(texts[0]),
      start: Math.min(...texts.map(({ start }) => start)),
      end: Math.max(...texts.map(({ end }) => end)),
      name: texts.map(wordsIn).join(" · "),
      members: [...texts, ...others].map(memberOf),
    };
    const highest = Math.max(...texts.map(heightOf));
    return [
      ...others.map((placed) => ({ item: itemOf(placed), height: heightOf(placed) })),
      ...(title ? [{ item: title, height: highest }] : []),
    ];
  });
  return items
    .toReversed()
    .toSorted((one, other) => other.height - one.height)
    .map(({ item }) => item);
}

const itemOf = (placed: Placed): Item => {
  const member = memberOf(placed);
  const { kind, start, end } = placed;
  return { key: memberKey(member), kind, start, end, name: wordsIn(placed), members: [member] };
};

const captionItems = (rows: readonly Row[]): readonly Item[] =>
  rows.map(({ start, end, text, marks }, at) => {
    const member = { kind: "caption", id: String(at) } as const;
    const name = text.replace(/\s+/g, " ").trim();
    return { key: memberKey(member), kind: "caption", start, end, name, marks, members: [member] };
  });

/** The end of a sound without one: that of its file, or of the film. */
export function endOfSound(draft: Draft, sound: Sound, length: number | undefined): number {
  const { position = 0, end, cutFrom = 0, speed, repeat } = sound;
  const whole = secondsOf(draft);
  if (end !== undefined) return end;
  const rest = length === undefined || repeat ? whole - position : (length - cutFrom) / speedOf(speed);
  return Math.max(position + 0.1, position + rest);
}

export const speedOf = (speed: unknown): number => (typeof speed === "number" && speed > 0 ? speed : 1);

export const urlOfSound = ({ assetId, audioUrl }: Sound, assetUrl: Around["assetUrl"]): string | undefined =>
  typeof assetId === "string" ? assetUrl(assetId) : typeof audioUrl === "string" ? audioUrl : undefined;

function soundItems(draft: Draft, { lengthOf, voices = [], assetUrl }: Around): readonly Item[] {
  const { audioUrl, audio } = draft.editor;
  const whole = secondsOf(draft);
  const length = lengthOf(audioUrl);
  const end = audio?.loop || length === undefined ? whole : Math.min(whole, length);
  const fixed = { name: "", members: [] };
  const music: readonly Item[] = audioUrl
    ? [{ ...fixed, key: "music", kind: "music", start: 0, end, url: audioUrl, repeats: audio?.loop === true }]
    : [];
  const spoken = voices.map(
    (voice, at): Item => ({ ...fixed, key: `voice ${at}`, kind: "voice", ...voice, name: String(at + 1) }),
  );
  const sounds = soundsOf(draft).map((sound, at): Item => {
    const member = { kind: "sound", id: String(at) } as const;
    const url = urlOfSound(sound, assetUrl);
    return {
      ...{ key: memberKey(member), kind: "sound", name: String(sound.role ?? ""), members: [member] },
      ...{ start: sound.position ?? 0, end: endOfSound(draft, sound, lengthOf(url)) },
      ...{ url, cutFrom: sound.cutFrom ?? 0, speed: speedOf(sound.speed), repeats: sound.repeat === true },
    };
  });
  return [...music, ...spoken, ...sounds];
}

/** Rows in which nothing overlaps, and each item lies below the ones before it that it overlaps. */
export function stacked(items: readonly Item[]): readonly (readonly Item[])[] {
  const rows: Item[][] = [];
  for (const item of items) {
    const below = rows.findLastIndex((row) => row.some(({ start, end }) => start < item.end && item.start < end));
    const row = rows[below + 1];
    if (row) row.push(item);
    else rows.push([item]);
  }
  return rows.map((row) => row.toSorted((one, other) => one.start - other.start));
}
