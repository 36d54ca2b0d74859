import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../api.ts";
import { type Bench, draftOfBench } from "../work/bench.ts";
import { itemsIn } from "./items.ts";

/** The lowest and the highest sample of equal parts of a file. */
export type Wave = { readonly peaks: readonly (readonly number[])[]; readonly seconds: number };

const assetPath = /^\/api\/projects\/(\w+)\/assets\/(\w+)$/;
const points = "800";

/** Waves by their URLs; undefined while they load, and for files that have none. */
const waves = signal<ReadonlyMap<string, Wave | undefined>>(new Map());

export const waveOf = (url: string | undefined): Wave | undefined => (url ? waves.value.get(url) : undefined);

const pathOf = (url: string) => {
  const [, projectId, assetId] = assetPath.exec(url) ?? [];
  return projectId && assetId ? { projectId, assetId } : undefined;
};

async function load(bench: Bench, url: string): Promise<void> {
  const param = pathOf(url);
  if (!param) return;
  const known = waves.value.get(url);
  const wave =
    known ?? (await unwrap(api.projects[":projectId"].assets[":assetId"].waveform.$get({ param, query: { points } })));
  waves.value = new Map([...waves.value, [url, wave]]);
  bench.lengths.value = new Map([...bench.lengths.value, [url, wave.seconds]]);
}

/** Loads the waves of the film's sounds, and the beats of its music, to which cuts snap. */
export function useSounds(bench: Bench): void {
  useEffect(() => {
    const asked = new Set<string>();
    const stop = effect(() => {
      for (const { url = "" } of itemsIn(bench.lanes.value)) {
        if (url === "" || asked.has(url)) continue;
        asked.add(url);
        // without its wave, a bar shows when its sound is heard
        void load(bench, url).catch(() => {});
      }
    });
    let isLeft = false;
    let measured = "";
    const stopBeats = effect(() => {
      const { audioUrl = "" } = draftOfBench(bench).editor;
      if (audioUrl === measured) return;
      measured = audioUrl;
      bench.beats.value = [];
      const param = pathOf(audioUrl);
      if (!param) return;
      unwrap(api.projects[":projectId"].assets[":assetId"].beats.$post({ param, json: {} })).then(
        ({ beats }) => {
          if (!isLeft && measured === audioUrl) bench.beats.value = beats;
        },
        // what has no beats is cut without them
        () => {},
      );
    });
    return () => {
      isLeft = true;
      stop();
      stopBeats();
    };
  }, []);
}
