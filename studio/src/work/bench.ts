import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { formats, type Target, type WorkComment } from "../api.ts";
import type { Copied } from "../strip/commands.ts";
import { type Item, itemsIn, type Lane, lanesOf, ownCaptions } from "../strip/items.ts";
import type { Row } from "./captions.ts";
import { clipsOf, type Draft, sceneOf, secondsOf } from "./draft.ts";
import type { OverlayName } from "./overlays.ts";
import type { Session } from "./session.ts";

export const panels = ["scenes", "texts", "captions", "sound", "export"] as const;
export type Panel = (typeof panels)[number];

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
  readonly overlay: Signal<OverlayName | undefined>;
  /** The keys of the chosen bars of the strip. */
  readonly chosen: Signal<readonly string[]>;
  readonly panel: Signal<Panel>;
  /** The captions that the service makes of the spoken words; undefined until it has. */
  readonly made: Signal<readonly Row[] | undefined>;
  readonly madeFailure: Signal<unknown>;
  /** The seconds of sounds by their URL, and the beats of the film, as far as they are known. */
  readonly lengths: Signal<ReadonlyMap<string, number>>;
  readonly beats: Signal<readonly number[]>;
  readonly copied: Signal<Copied | undefined>;
  /** What reviewers say, once it is read. */
  readonly comments: Signal<readonly WorkComment[]>;
  /** The bars of the strip. */
  readonly lanes: ReadonlySignal<readonly Lane[]>;
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
    ...{
      chosen: signal([]),
      panel: signal("scenes"),
      made: signal(undefined),
      madeFailure: signal(undefined),
      copied: signal(undefined),
      comments: signal([]),
    },
    ...{ lengths: signal(new Map()), beats: signal([]) },
    lanes: computed(() => {
      const draft = draftOfBench(bench);
      const { lengths } = bench;
      return lanesOf(draft, {
        captions: captionsOf(bench),
        lengthOf: (url) => lengths.value.get(url ?? ""),
        voices: voicesOf(bench, draft),
        assetUrl: (assetId) => `/api/projects/${ids.projectId}/assets/${assetId}`,
      });
    }),
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

/** The captions that are shown. */
export const captionsOf = (bench: Pick<Bench, "session" | "made">): readonly Row[] => {
  const draft = draftOfBench(bench);
  return draft.editor.captions ? (ownCaptions(draft) ?? bench.made.value ?? []) : [];
};

/** The recordings of the scenes, if the film plays them. */
function voicesOf({ session, ids, lengths }: Bench, draft: Draft) {
  if (!draft.editor.voice) return [];
  const work = session.work.value;
  return clipsOf(draft).flatMap((clip) => {
    if (!work.generatedScenes.find(({ sceneIndex }) => sceneIndex === clip.sceneIndex)?.voiceUrl) return [];
    const url = `/api/projects/${ids.projectId}/works/${ids.workId}/media/scene/${sceneOf(work, clip)}/voice`;
    return [{ start: clip.start, end: clip.start + (lengths.value.get(url) ?? clip.end - clip.start), url }];
  });
}

/** The chosen bars. */
export const chosenItems = ({ lanes, chosen }: Bench): readonly Item[] =>
  itemsIn(lanes.value).filter(({ key }) => chosen.value.includes(key));

const panelOf: Readonly<Record<Item["kind"], Panel>> = {
  ...{ clip: "scenes", text: "texts", image: "texts", layer: "texts" },
  ...{ caption: "captions", sound: "sound", music: "sound", voice: "sound" },
};

/** Chooses bars, and shows the panel of the last one. */
export function chooseItems(bench: Bench, items: readonly Item[]): void {
  const last = items.at(-1);
  bench.chosen.value = items.map(({ key }) => key);
  if (!last) return;
  bench.panel.value = panelOf[last.kind];
  const [member] = last.members;
  if (member?.kind === "clip") bench.clip.value = member.id;
  if (member?.kind === "text" || member?.kind === "image" || member?.kind === "layer")
    bench.overlay.value = { kind: member.kind, id: member.id };
}

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
