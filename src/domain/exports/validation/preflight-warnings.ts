import { type FrameRate, toFrame } from "../../../timeline/time.ts";
import type { Clip } from "../../../timeline/track.ts";
import type { FilmTarget } from "../targets.ts";
import { applied, type LaidFilm, type Remark, type Warning } from "../warnings.ts";
import { frameWarningsOf } from "./frame-warnings.ts";
import { type ShownText, textRules } from "./text-warnings.ts";

/** All that can be known of a film without rendering it. */
export type CloseFilm = LaidFilm & {
  readonly texts: readonly ShownText[];
  readonly hasMusic: boolean;
  readonly targets: readonly FilmTarget[];
};

/** What only who asks before an export is told: one row a rule. */
const rules = {
  ...textRules,
  overlay_past_end: cutOverlays,
  fps_far_from_source: farRates,
  silent_result: silence,
} satisfies Record<string, (film: CloseFilm) => readonly Remark[]>;

export const closeWarningsOf = (film: CloseFilm): readonly Warning[] => [
  ...applied(rules, film),
  ...frameWarningsOf(film, film.targets),
];

/** Those that are seen, but not to their end. */
function cutOverlays({ overlays, timeline: { rate, track } }: CloseFilm): readonly Remark[] {
  return overlays
    .filter(({ position, end }) => toFrame(position, rate) < track.frames && toFrame(end, rate) > track.frames)
    .map(({ path }) => ({ path: `${path}.end`, message: "It ends after the film's end and is cut off there." }));
}

/** A film of 30 pictures a second bears sources of 20 to 45. */
const mostRateChange = 1.5;

const maxNamed = 10;

function farRates({ clips, timeline: { rate } }: CloseFilm): readonly Remark[] {
  const fps = rate.num / rate.den;
  const far = clips.flatMap((clip, index) => (isFar(clip, rate) ? [index] : []));
  const [first] = far;
  if (first === undefined) return [];
  const named = far.slice(0, maxNamed).join(", ") + (far.length > maxNamed ? ", …" : "");
  const theirs = clips[first]!.source.facts.picture!.frameRate!;
  const effect = theirs > fps ? "leaves out pictures of theirs" : "repeats pictures of theirs";
  const message = `The film has ${shown(fps)} pictures a second and the source of clip ${first} has ${shown(theirs)}: it ${effect}, and motion looks uneven (clips ${named}).`;
  return [{ path: "options.fps", message }];
}

const shown = (fps: number): number => Number(fps.toFixed(2));

function isFar({ source }: Clip, { num, den }: FrameRate): boolean {
  const theirs = source.facts.picture?.frameRate;
  if (source.facts.kind !== "video" || !theirs) return false;
  const change = num / den / theirs;
  return Math.max(change, 1 / change) > mostRateChange;
}

function silence({ timeline: { sound }, hasMusic }: CloseFilm): readonly Remark[] {
  if (hasMusic || sound.pieces.length > 0) return [];
  return [
    {
      path: "audio",
      message: "Nothing in the film makes a sound: no clip that is heard has any, and there is no music.",
    },
  ];
}
