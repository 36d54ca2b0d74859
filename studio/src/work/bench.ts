import { type Signal, signal } from "@preact/signals";
import { formats, type Target } from "../api.ts";
import { clipsOf, type Draft, secondsOf } from "./draft.ts";
import type { OverlayKind } from "./overlays.ts";
import type { Session } from "./session.ts";

export type Ids = { readonly projectId: string; readonly workId: string };

/** State that the parts of the page share while a work is open. */
export type Bench = {
  readonly ids: Ids;
  readonly session: Session;
  /** The playhead, in seconds. */
  readonly at: Signal<number>;
  readonly isPlaying: Signal<boolean>;
  /** The played format; undefined for the work's own. */
  readonly target: Signal<Target | undefined>;
  readonly clip: Signal<string | undefined>;
  readonly overlay: Signal<{ readonly kind: OverlayKind; readonly id: string } | undefined>;
  /** The playing element, if there is one. */
  readonly video: { current: HTMLVideoElement | undefined };
  seek(seconds: number): void;
};

export function openBench(ids: Ids, session: Session): Bench {
  const bench: Bench = {
    ...{ ids, session },
    at: signal(0),
    isPlaying: signal(false),
    target: signal(undefined),
    clip: signal(clipsOf(session.history.value.present)[0]?.id),
    overlay: signal(undefined),
    video: { current: undefined },
    seek(seconds) {
      const { fps } = draftOfBench(bench).editor.exportSettings;
      const frame = Math.floor(Math.min(Math.max(0, seconds), lastMoment(draftOfBench(bench))) * fps + 0.01);
      bench.at.value = frame / fps;
      // the middle of a frame: at its edge, rounding decides
      if (bench.video.current) bench.video.current.currentTime = (frame + 0.5) / fps;
    },
  };
  return bench;
}

export const draftOfBench = ({ session }: Pick<Bench, "session">): Draft => session.history.value.present;

/** Moves the focus after the focused element was removed. */
export const focusOn = (selector: string) =>
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`.work ${selector}`)?.focus());

/** The start of the last frame. */
export const lastMoment = (draft: Draft): number => Math.max(0, secondsOf(draft) - 1 / draft.editor.exportSettings.fps);

/** The playhead within the film, which may have become shorter. */
export const playhead = (bench: Bench): number => Math.min(bench.at.value, lastMoment(draftOfBench(bench)));

/** The format of the work's size; undefined for other sizes. */
export function ownFormat({ editor }: Draft): Target | undefined {
  const { width, height } = editor.exportSettings;
  return formats.find((name) => {
    const [across = 1, down = 1] = name.split(":").map(Number);
    return Math.abs(width / height - across / down) < 0.01;
  });
}
