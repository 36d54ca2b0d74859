/** A point of a frame, as fractions of its sides. */
export type FocusPoint = { readonly x: number; readonly y: number };

/** The target of a shot's focus; `center` if nothing is more salient than the rest. */
export const focusReasons = ["subject", "motion", "detail", "center"] as const;

/** A vision model's box around the subject of a source. The sides are fractions of the frame's, from its top left. */
export type SubjectBox = {
  /** Seconds from the start of the video; 0 for an image. */
  readonly atSeconds: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

/** The focus during one shot of a source, which stays visible. Times are on the source's own clock. */
export type FocusShot = {
  /** The time of the shot's first frame. */
  readonly startSeconds: number;
  readonly reason: (typeof focusReasons)[number];
  /** At least one, in order. The focus moves straight between points, and rests before the first and after the last. */
  readonly points: readonly (FocusPoint & { readonly atSeconds: number })[];
};

/** The shots of a source, in order, at least one; the focus jumps from one to the next. */
export type FocusTrack = readonly FocusShot[];

export type Focus = FocusPoint | FocusTrack;

export const isTrack = (focus: Focus): focus is FocusTrack => Array.isArray(focus);

export const shotAt = (track: FocusTrack, seconds: number): FocusShot =>
  track.findLast(({ startSeconds }) => startSeconds <= seconds) ?? track[0]!;

export function focusAt({ points }: FocusShot, seconds: number): FocusPoint {
  const after = points.findIndex(({ atSeconds }) => atSeconds > seconds);
  const to = after < 0 ? points.at(-1)! : points[after]!;
  const from = points[after - 1];
  if (!from || from.atSeconds === to.atSeconds) return { x: to.x, y: to.y };
  const share = (seconds - from.atSeconds) / (to.atSeconds - from.atSeconds);
  return { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) };
}
