import type { MeasuredText, TextMeasurer } from "../../domain/exports/validation/text-measurer.ts";
import { type FileStore, referenceTo } from "../../domain/files/file-store.ts";
import { overlayFailure } from "../sandbox/failures.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";

const maxCachedTexts = 1000;

type MeasurerOptions = { readonly files: Pick<FileStore, "withLocalFile">; readonly canvas?: TaskPool };

/** Caches its results: an editor sends all texts again after a change of one of them. */
export function textMeasurer({ files, canvas = sharedTaskPool() }: MeasurerOptions): TextMeasurer {
  const cache = new Map<string, MeasuredText>();
  return {
    async measure(content, rotationDegrees, options) {
      const key = JSON.stringify([content, rotationDegrees]);
      const cached = cache.get(key);
      if (cached) return cached;

      const { font } = content.style;
      const measure = (path?: string) =>
        canvas.run("measureText", { content, rotationDegrees, font: path }, options).catch(overlayFailure(content));
      const measured = await (font ? files.withLocalFile(referenceTo(font), measure) : measure());
      if (cache.size >= maxCachedTexts) cache.clear();
      cache.set(key, measured);
      return measured;
    },
  };
}
