import type { TransitionKind } from "../../engine/timeline/track.ts";
import { invalid } from "../../errors.ts";
import type {
  ClipInput,
  ImageLayerInput,
  LayerInput,
  MoveInput,
  VideoLayerInput,
} from "../exports/request/layers/inputs.ts";
import { maxLayersInList } from "../exports/request/layers/nesting.ts";
import { LayerList } from "../exports/request/layers/schema.ts";
import { ExportOptions } from "../exports/request/schema.ts";
import { SoundItem } from "../exports/request/sound-list.ts";
import { parseInput } from "../shared/validation.ts";
import type { Draft, ReadEdit } from "./reading/draft.ts";
import { ignored } from "./reading/property.ts";
import { rounded } from "./reading/rows.ts";

/** An edit as a request: a film of clips with layers over them, or of layers alone. */
export type FinishedEdit = {
  readonly clips: readonly (Omit<ClipInput, "sceneIndex"> & { readonly assetId: string })[];
  readonly layers: readonly LayerInput[];
  readonly sounds: readonly SoundItem[];
  readonly options: ExportOptions;
};

const maxSounds = 50;

/** Makes a request of an edit. What a request cannot have is left out, and its property says why. Throws validation_error. */
export function finishEdit(edit: ReadEdit): FinishedEdit {
  const [lowest = [], ...above] = edit.tracks.filter((track) => track.length > 0);
  const clips = clipsOf(lowest, edit);
  const drafts = (clips ? above : [lowest, ...above]).flat();
  const layers = validLayers(drafts);
  if (layers.length > maxLayersInList) {
    throw invalid("", `Must become at most ${maxLayersInList} layers: this edit becomes ${layers.length}.`);
  }
  const { sounds, soundEnd } = validSounds(edit);
  const duration = clips ? undefined : (edit.duration ?? soundEnd);
  const canEnd = clips || duration !== undefined || layers.some(({ type }) => type === "video") || sounds.length > 0;
  if (!canEnd) throw invalid("", "Must show or play something: nothing of this edit is known here.");
  const { data: options, error } = parseInput(ExportOptions, {
    width: edit.width,
    height: edit.height,
    fps: edit.fps,
    ...edit.options,
    ...(duration !== undefined && { duration: Math.min(3600, duration) }),
  });
  if (error) throw invalid("", `Must have another output: ${error.issues[0]?.message}`);
  return { clips: clips ?? [], layers, sounds, options };
}

function validLayers(drafts: readonly Draft[]): readonly LayerInput[] {
  const kept = drafts.flatMap((draft) =>
    expanded(draft).filter((layer) => {
      const { error } = parseInput(LayerList, [layer]);
      const [issue] = error?.issues ?? [];
      if (issue) draft.from.mark(ignored(`Cannot be shown: ${issue.path.slice(1).join(".")}: ${issue.message}`));
      return !issue;
    }),
  );
  const ids = new Set(kept.map(({ id }) => id));
  return kept.filter(({ mask }) => !mask?.layer || ids.has(mask.layer));
}

function validSounds({ sounds }: ReadEdit) {
  const kept: SoundItem[] = [];
  for (const { from, sound } of sounds) {
    const { data, error } = parseInput(SoundItem, sound);
    if (!data) from.mark(ignored(`Cannot be heard: ${error?.issues[0]?.message}`));
    else if (kept.length < maxSounds) kept.push(data);
    else from.mark(ignored(`A film has at most ${maxSounds} sounds.`));
  }
  const ends = kept.flatMap(({ end }) => end ?? []);
  return { sounds: kept, soundEnd: ends.length > 0 ? Math.max(...ends) : undefined };
}

/** The entrance that is most like a transition. */
const entrances: Readonly<Record<TransitionKind, string | Omit<MoveInput, "seconds">>> = {
  cut: "fade",
  fade: { name: "fade" },
  dissolve: { name: "fade" },
  fadeblack: { name: "fade" },
  fadewhite: { name: "fade" },
  flash: { name: "fade" },
  wipeleft: { name: "wipe", direction: "left" },
  wiperight: { name: "wipe", direction: "right" },
  wipeup: { name: "wipe", direction: "up" },
  wipedown: { name: "wipe", direction: "down" },
  slideleft: { name: "fly", direction: "left" },
  slideright: { name: "fly", direction: "right" },
  slideup: { name: "fly", direction: "up" },
  slidedown: { name: "fly", direction: "down" },
  "push-left": { name: "fly", direction: "left" },
  "push-right": { name: "fly", direction: "right" },
  "push-up": { name: "fly", direction: "up" },
  "push-down": { name: "fly", direction: "down" },
  zoom: { name: "scale", from: 2 },
  spin: { name: "spin" },
  blur: { name: "blur" },
  circleopen: { name: "wipe", direction: "circle" },
  "circle-close": { name: "wipe", direction: "circle" },
  diagonal: { name: "wipe", direction: "diagonal" },
  blinds: { name: "wipe", direction: "down" },
  luma: { name: "fade" },
};

/** A draft as layers: with its transition as an entrance, and with its blurred picture below it. */
function expanded({ layer, transition, isOverBlur }: Draft): readonly LayerInput[] {
  const move = transition && transition.kind !== "cut" ? entrances[transition.kind] : undefined;
  const enter =
    move && transition && !layer.enter
      ? {
          enter: { ...(typeof move === "string" ? { name: move } : move), seconds: Math.max(0.01, transition.seconds) },
        }
      : {};
  const whole = { ...layer, ...enter } as LayerInput;
  if (!isOverBlur || (layer.type !== "image" && layer.type !== "video")) return [whole];
  const { keyframes: _, width, height, centerX, centerY, position, end, enter: own, ...below } = { ...layer, ...enter };
  const filter = { ...layer.filter, blur: rounded(Math.min(200, Math.max(8, (width ?? 640) / 40))) };
  // beyond its box, so that no soft edge is seen
  const picture = { ...below, width, height, fit: "cover", filter, scale: 1.1 } as ImageLayerInput | VideoLayerInput;
  const blurred: LayerInput = {
    ...{ type: "group", width, height, centerX, centerY, position, end, clip: true },
    ...(own && { enter: own }),
    layers: [picture.type === "video" ? { ...picture, volume: 0 } : picture],
  };
  return [blurred, whole];
}

const clipFields: ReadonlySet<string> = new Set([
  ...["type", "assetId", "position", "end", "width", "height", "centerX", "centerY", "fit", "focus"],
  ...["cutFrom", "speed", "reverse", "volume", "filter", "opacity", "scale", "enter", "exit", "keyframes"],
]);

const clipKeyframes: ReadonlySet<string> = new Set([
  ...["centerX", "centerY", "scale", "scaleX", "scaleY", "rotation", "opacity", "volume", "speed", "blur"],
]);

type Picture = ImageLayerInput | VideoLayerInput;
type Clips = FinishedEdit["clips"];

/** The lowest track as clips, if it fills the film and its frame without a gap; undefined otherwise. */
function clipsOf(track: readonly Draft[], { width, height, fps, duration }: ReadEdit): Clips | undefined {
  const near = (one: number, other: number) => Math.abs(one - other) < 0.5 / fps;
  const clips: Clips[number][] = [];
  let previous = 0;
  for (const [index, { layer, transition, isOverBlur }] of track.entries()) {
    const next = track[index + 1];
    if (!isWholeFrame(layer, { width, height })) return undefined;
    const { position = 0, end } = layer;
    if (!near(position ?? 0, previous) || end === undefined || end === null) return undefined;
    const overlap = next?.transition?.seconds ?? 0;
    const visibleEnd = next && overlap > 0 ? (next.layer.position ?? end) : end;
    if (visibleEnd <= (position ?? 0)) return undefined;
    // an image keeps its own entrance only as a change of opacity, which a transition replaces
    const faded = transition ? layer.keyframes : withFades(layer, visibleEnd - (position ?? 0));
    if (faded === null) return undefined;
    clips.push(clipOf(layer, { end: visibleEnd, keyframes: faded, next, isOverBlur }));
    previous = visibleEnd;
  }
  const isWhole = clips.length > 0 && clips.length <= 500 && (duration === undefined || near(previous, duration));
  return isWhole ? clips : undefined;
}

function isWholeFrame(layer: LayerInput, frame: { readonly width: number; readonly height: number }): layer is Picture {
  if (layer.type !== "image" && layer.type !== "video") return false;
  const { assetId = "", width, height, centerX = 0, centerY = 0, fit = "contain", keyframes = {} } = layer;
  if (!assetId || assetId.includes("{{")) return false;
  const isSame = (one: number | null | undefined, other: number) => Math.abs((one ?? 0) - other) < 1;
  return (
    isSame(width, frame.width) &&
    isSame(height, frame.height) &&
    isSame(centerX, 0) &&
    isSame(centerY, 0) &&
    (fit === "cover" || fit === "contain") &&
    Object.entries(layer).every(([name, value]) => value === undefined || clipFields.has(name)) &&
    Object.entries(keyframes ?? {}).every(([name, value]) => value === undefined || clipKeyframes.has(name))
  );
}

/** The keyframes of a clip with its fades as opacities; null if it enters or leaves in another way. */
function withFades({ enter, exit, keyframes }: Picture, length: number): Picture["keyframes"] | null {
  if (!enter && !exit) return keyframes;
  const seconds = (move: Picture["enter"]) =>
    typeof move === "object" && move?.name === "fade" && !move.by
      ? Math.min(move.seconds ?? 0.6, length / 2)
      : undefined;
  const [first, last] = [seconds(enter), seconds(exit)];
  if ((enter && first === undefined) || (exit && last === undefined) || keyframes?.opacity) return null;
  const easingOf = (move: Picture["enter"]) =>
    typeof move === "object" && move?.easing ? { easing: move.easing } : {};
  return {
    ...keyframes,
    opacity: [
      ...(first === undefined
        ? [{ at: 0, value: 1 }]
        : [
            { at: 0, value: 0 },
            { at: rounded(first), value: 1, ...easingOf(enter) },
          ]),
      ...(last === undefined
        ? []
        : [
            { at: rounded(length - last), value: 1 },
            { at: rounded(length), value: 0, ...easingOf(exit) },
          ]),
    ],
  };
}

function clipOf(
  layer: Picture,
  rest: {
    readonly end: number;
    readonly keyframes: Picture["keyframes"];
    readonly next: Draft | undefined;
    readonly isOverBlur: boolean | undefined;
  },
): Clips[number] {
  const { assetId, position, fit, focus, filter, opacity, scale } = layer;
  const { next, keyframes, isOverBlur } = rest;
  const playing = layer.type === "video" ? layer : {};
  const { cutFrom, speed, reverse, volume } = playing as Partial<VideoLayerInput>;
  const isStill = layer.type === "image" && !keyframes;
  const fields = {
    ...{
      fit: isOverBlur ? ("blur" as const) : (fit as "cover" | "contain" | undefined),
      focus,
      filter,
      opacity,
      scale,
    },
    ...{ cutFrom, speed, reverse, volume, keyframes: keyframes as ClipInput["keyframes"] },
  };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...given,
    assetId: assetId!,
    position: position ?? 0,
    end: rest.end,
    // an image without a move would zoom by itself
    ...(isStill && { move: { name: "zoom-in" as const, amount: 0 } }),
    ...(next?.transition && {
      transition: next.transition.kind,
      transitionDuration: rounded(next.transition.seconds),
    }),
  };
}
