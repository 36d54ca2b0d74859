import { type SpokenWord, timeWords } from "../../engine/timeline/captions/words.ts";
import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../../engine/timeline/time.ts";
import { type Clip, clipsOf, type Span, type Track } from "../../engine/timeline/track.ts";
import type { ScenarioScene } from "../works/works.ts";

/** More than an hour of fast speech in any language. */
export const maxCaptionCharacters = 100_000;

/** A clip of the request with its resolved scene. */
export type PlacedClip = { readonly clip: Clip; readonly sceneIndex: number; readonly caption?: boolean | undefined };

/** The clip that a span belongs to: in a transition, the later one. */
const mainClip = (span: Span): Clip | undefined => clipsOf(span).at(-1);

/** The ranges of frames in which each clip is visible. Where clips overlap, the upper one counts. */
export function visibleRanges({ spans }: Track): ReadonlyMap<Clip, readonly FrameRange[]> {
  const ranges = new Map<Clip, FrameRange[]>();
  for (const span of spans) {
    const clip = mainClip(span);
    if (!clip) continue;
    const known = ranges.get(clip) ?? [];
    const last = known.at(-1);
    if (last?.end === span.range.start) known[known.length - 1] = { start: last.start, end: span.range.end };
    else known.push(span.range);
    ranges.set(clip, known);
  }
  return ranges;
}

type ScriptOptions = {
  readonly scenes: readonly ScenarioScene[];
  readonly visible: ReadonlyMap<Clip, readonly FrameRange[]>;
  readonly rate: FrameRate;
  readonly language?: string | undefined;
};

/** The texts of the clips' scenes, each spread over the time in which its clip is visible. */
export function scriptWords(
  clips: readonly PlacedClip[],
  { scenes, visible, rate, language }: ScriptOptions,
): readonly SpokenWord[] {
  let characters = 0;
  const words = clips.flatMap(({ clip, sceneIndex, caption = true }) => {
    const range = longest(visible.get(clip) ?? []);
    const text = spokenText(scenes[sceneIndex]);
    characters += text.length;
    if (!range || !caption || characters > maxCaptionCharacters) return [];
    return timeWords(text, { start: toSeconds(range.start, rate), end: toSeconds(range.end, rate) }, language);
  });
  return words.toSorted((a, b) => a.start - b.start);
}

/** The spoken text of a scene, or else the text shown on it. */
export const spokenText = (scene: ScenarioScene | undefined): string =>
  scene?.voice_text?.trim() || scene?.text_overlay?.trim() || "";

const longest = (ranges: readonly FrameRange[]): FrameRange | undefined =>
  ranges.toSorted((a, b) => framesIn(b) - framesIn(a))[0];
