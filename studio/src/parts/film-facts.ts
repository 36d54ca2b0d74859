import type { Film, Step, Work } from "../api.ts";
import { t, type Word } from "../words.ts";

/** Sends a change of a film and shows its answer. */
export type Change = (send: () => Promise<Film>) => Promise<unknown>;

export const isOver = ({ status }: Pick<Film, "status">): boolean =>
  status === "done" || status === "error" || status === "cancelled";

/** The finished share of all known steps, from 0 to 1. */
export function partDone({ steps, status }: Film): number {
  if (status === "done") return 1;
  // before the scenario there are no scenes, and most of the work is ahead
  const known = Math.max(steps.length, 12);
  return steps.filter((step) => step.status === "done" || step.status === "skipped").length / known;
}

/** The state of a film in one line. */
export function stateText(film: Film): string {
  if (film.status === "waiting" || film.status === "error")
    return film.waitingReason ?? film.error ?? t("stateWaiting");
  if (film.status !== "running") return t(`state_${film.status}` as Word);
  const running = film.steps.filter((step) => step.status === "running");
  const kind = running.at(-1)?.kind;
  return kind ? t(`doing_${kind}` as Word) : t("state_running");
}

/** Empty for a film whose only size is none of the formats. */
export type FileTarget = Film["files"][number]["target"];

export const fileOf = ({ projectId, id }: Film, target?: FileTarget): string =>
  `/api/projects/${projectId}/films/${id}/file${target ? `?target=${encodeURIComponent(target)}` : ""}`;

export type Scene = {
  readonly index: number;
  readonly words: string;
  readonly seconds: number | undefined;
  readonly steps: readonly Step[];
  /** Undefined until the picture exists. */
  readonly picture: string | undefined;
};

/** The scenes of a film, from its steps and its work. */
export function scenesOf(film: Film, work: Work | undefined): readonly Scene[] {
  const count = Math.max(work?.scenes.length ?? 0, ...film.steps.map(({ scene = -1 }) => scene + 1));
  return Array.from({ length: count }, (_, index) => {
    const steps = film.steps.filter(({ scene }) => scene === index);
    const { text_overlay: words, duration_seconds: seconds } = work?.scenes[index] ?? {};
    return {
      index,
      words: typeof words === "string" ? words : "",
      seconds: typeof seconds === "number" ? seconds : undefined,
      steps,
      picture: frameOf(film, work, index) ?? pictureOf(film, index),
    };
  });
}

/** A frame of the scene with its words, once the film is made. */
function frameOf({ status, projectId, workId }: Film, work: Work | undefined, scene: number): string | undefined {
  if (status !== "done" || !work) return undefined;
  const clip = work.editorState?.editorData.videoTrack.find(({ sceneIndex }) => sceneIndex === scene);
  if (!clip) return undefined;
  // words have come by then
  const time = clip.start + (clip.end - clip.start) * 0.7;
  return `/api/projects/${projectId}/works/${workId}/frame?t=${time.toFixed(2)}&maxSide=480&v=${work.updatedAt}`;
}

/** The URL of a scene's picture changes with each attempt, so that a new picture replaces the old one. */
export function pictureOf({ projectId, workId, steps }: Film, scene: number): string | undefined {
  const step = steps.find(({ kind, scene: place }) => kind === "image" && place === scene);
  if (step?.status !== "done") return undefined;
  const version = step.attempts.at(-1)?.endedAt ?? 0;
  return `/api/projects/${projectId}/works/${workId}/media/scene/${scene}/image?v=${version}`;
}
