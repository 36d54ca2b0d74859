import { type FocusTrack, focusAt, shotAt } from "../../../src/engine/timeline/focus.ts";

/** A shot with a subject, and where that is: its left edge at a time, in pixels. */
export type SubjectShot = {
  readonly name: string;
  /** A filtergraph of lavfi, whose output has the label of its place in the film. */
  readonly drawing: string;
  readonly leftAt: (seconds: number) => number;
};

const shotSeconds = 2;
export const subjectSize = { width: 160, height: 90 };
const { width, height } = subjectSize;
const fps = 12;
const patch = { width: 20, height: 44 };

const source = (name: string) => `${name}:r=${fps}:d=${shotSeconds}`;

/** Soft shapes without an edge, and grain that changes from frame to frame. */
const soft = (level: number) =>
  `${source(`color=gray:s=${width}x${height}`)},geq=lum='${level}+25*sin(X/25)+20*cos(Y/16)':cb=124:cr=128,noise=alls=12:allf=t:all_seed=1`;

/** A wall with edges everywhere, of which the camera shows a part. */
const wall = (left: string) =>
  `${source(`color=gray:s=${3 * width}x${height}`)},geq=lum='120+30*sin(X/3)*cos(Y/4)+20*sin(X/12)+10*sin(X*Y/350)':cb=128:cr=128,crop=${width}:${height}:x='${left}':y=0`;

const patchSource = (name: string) => source(`${name}:s=${patch.width}x${patch.height}`);
/** A subject whose own picture changes. */
const lively = patchSource("testsrc2").replace("testsrc2:", "testsrc2=");
const statue = `${patchSource("color=gray")},geq=lum='40+160*mod(floor(X/4)+floor(Y/4),2)':cb=100:cr=150`;

function shot(name: string, ground: string, subject: string, left: string, also = "-100"): SubjectShot {
  const graph = [
    `${ground},format=yuv420p[ground]`,
    `${subject},format=yuv420p[subject]`,
    `${statue},format=yuv420p[other]`,
    `[ground][other]overlay=x='${also}':y=24[both]`,
    `[both][subject]overlay=x='${left}':y=24,format=yuv420p`,
  ];
  const leftAt = new Function("t", "sin", `return ${left}`) as (t: number, sin: (x: number) => number) => number;
  return { name, drawing: graph.join(";"), leftAt: (seconds) => leftAt(seconds, Math.sin) };
}

/** A sixteenth of the light, with noise. */
const dark = (one: SubjectShot): SubjectShot => ({
  ...one,
  drawing: `${one.drawing},lutyuv=y='16+(val-16)/16':u='128+(val-128)/16':v='128+(val-128)/16',noise=alls=3:allf=t:all_seed=2`,
});

export const subjectShots: readonly SubjectShot[] = [
  shot("one walks before a soft ground", soft(100), statue, "10+60*t"),
  shot("the camera goes with one along a wall", wall("25+40*t"), statue, "15"),
  shot("one stands at the right before a soft ground", soft(150), statue, "125"),
  shot("the camera pans along a wall past one", wall("50+35*t"), lively, "120-35*t"),
  shot("one moves, another stands at the other side", soft(60), statue, "120+8*sin(4*t)", "10"),
  shot("one walks before a wall", wall("100"), statue, "130-50*t"),
  dark(shot("one walks in the dark", soft(100), statue, "130-60*t")),
];

/** Those that are measured fastest. */
export const quickShots = [1, 6].map((at) => subjectShots[at]!);

/** The first seconds of shots in one video, one after the other. */
export const filmOf = (shots: readonly SubjectShot[], seconds: number): string =>
  [
    ...shots.map(({ drawing }, at) => {
      const labeled = drawing.replaceAll(/\[(ground|subject|other|both)\]/g, `[$1${at}]`);
      return `${labeled},trim=end=${seconds}[shot${at}]`;
    }),
    `${shots.map((_, at) => `[shot${at}]`).join("")}concat=n=${shots.length}:v=1:a=0`,
  ].join(";");

/** The share of a shot's frames of which a crop to 9:16 shows the subject: nine tenths of its width. */
export function shareInside(
  { leftAt }: SubjectShot,
  { start: shotStart, seconds: length }: { readonly start: number; readonly seconds: number },
  focusXAt: (seconds: number) => number,
): number {
  const shown = (9 / 16) ** 2;
  const frames = Array.from({ length: length * fps }, (_, frame) => frame / fps);
  const isInside = (seconds: number) => {
    const x = focusXAt(shotStart + seconds);
    const start = Math.min(Math.max(0, x - shown / 2), 1 - shown);
    const left = leftAt(seconds) / width;
    const right = left + patch.width / width;
    return Math.min(right, start + shown) - Math.max(left, start) >= 0.9 * (right - left);
  };
  return frames.filter(isInside).length / frames.length;
}

export const xOf = (track: FocusTrack) => (seconds: number) => focusAt(shotAt(track, seconds + 1e-6), seconds).x;
