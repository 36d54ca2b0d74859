import { writeFile } from "node:fs/promises";
import { isUnavailable } from "../../errors.ts";
import { withJobFolder } from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { sha256Of } from "../../platform/values.ts";
import { type FileStore, type RenderCache, referenceTo, type TemplateDrawer, type TemplatePicture } from "../ports.ts";
import { SandboxTaskError } from "../sandbox/failures.ts";
import { readOutput } from "../sandbox/task-files.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import type { Overlay } from "../timeline/overlay.ts";
import { sourcesOfLayer } from "../timeline/overlay-sources.ts";
import type { Source } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";

type TemplateDrawerDeps = {
  readonly files: Pick<FileStore, "jobFolder" | "linkTo">;
  readonly cache: RenderCache;
  readonly canvas?: TaskPool;
};

const maxSide = 480;
const maxMovingSide = 384;

/** Increment when the same overlays give another picture. */
const version = 1;

export function templateDrawer({ files, cache, canvas = sharedTaskPool() }: TemplateDrawerDeps): TemplateDrawer {
  return {
    async draw(picture, { scope, ...options }) {
      const hash = hashOf(picture, await canvas.textEngine());
      const key = `${scope}/${hash}`;
      return await withJobFolder(files.jobFolder, async (folder) => {
        const output = `${folder}/thumbnail.webp`;
        if (!(await cache.linkTo(key, output))) {
          const { bytes, isComplete } = await drawInto(folder, picture, options);
          await writeFile(output, bytes);
          if (isComplete) await cache.put([{ key, path: output }]);
        }
        return { bytes: await readOutput(output), hash };
      });
    },
  };

  /** Draws without overlays if a task with them fails. */
  async function drawInto(folder: string, { canvas: frame, overlays, motion }: TemplatePicture, options: TaskOptions) {
    const size = scaledSize(frame, motion ? maxMovingSide : maxSide);
    const output = `${folder}/drawn.webp`;
    const run = (paths: Paths, shown: readonly Overlay[]) =>
      canvas.run(
        "drawTemplate",
        { overlays: shown, canvas: frame, size, paths, output, ...(motion && { motion }) },
        options,
      );
    const paths = await linkSources(folder, overlays);
    let isComplete = Object.keys(paths).length === sourcesOf(overlays).length;
    await run(paths, overlays).catch((error) => {
      if (!(error instanceof SandboxTaskError)) throw error;
      isComplete = false;
      return run({}, overlays.filter(isPlain));
    });
    return { bytes: await readOutput(output), isComplete };
  }

  async function linkSources(folder: string, overlays: readonly Overlay[]): Promise<Paths> {
    const paths: [file: string, path: string][] = [];
    for (const [index, source] of sourcesOf(overlays).entries()) {
      const path = `${folder}/source-${index}`;
      if (await isLinked(files.linkTo(referenceTo(source), path))) paths.push([source.file, path]);
    }
    return Object.fromEntries(paths);
  }
}

type Paths = { readonly [file: string]: string };

/** A missing file is not an error: its image is an empty box. */
const isLinked = (linking: Promise<void>): Promise<boolean> =>
  linking.then(
    () => true,
    (error) => {
      if (isUnavailable(error)) throw error;
      return false;
    },
  );

const sourcesOf = (overlays: readonly Overlay[]): readonly Source[] => [
  ...new Map(overlays.flatMap(sourceIn).map((source) => [source.file, source])).values(),
];

/** True for an empty box in place of an image, which cannot be damaged or large. */
const isPlain = ({ content }: Overlay): boolean => content.kind === "image";

const sourceIn = (overlay: Overlay): readonly Source[] => sourcesOfLayer(overlay).filter(({ file }) => file !== "");

function scaledSize({ width, height }: Canvas, maxSide: number): Canvas {
  const scale = Math.min(1, maxSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Files are identified by their content, because the same content may be stored as several files. */
function hashOf(picture: TemplatePicture, textEngine: string): string {
  const description = JSON.stringify([version, textEngine, picture], (key, value) =>
    key === "file" ? value === "" : value,
  );
  return sha256Of(description);
}
