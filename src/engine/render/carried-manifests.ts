import { isMissing } from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { sum } from "../../platform/values.ts";
import type { CarriedManifests } from "../c2pa/manifest.ts";
import type { ExtractedManifest } from "../c2pa/read.ts";
import { readSuperbox } from "../c2pa/store.ts";
import { boxesIn } from "../mp4/boxes.ts";
import { printBox } from "../mp4/print-boxes.ts";
import { type FileStore, referenceTo } from "../ports.ts";
import { SandboxTaskError } from "../sandbox/failures.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import type { Source } from "../timeline/source.ts";

type Ports = { readonly files: Pick<FileStore, "withLocalFile">; readonly canvas: TaskPool };

/** The limit over all files of a film. */
const maxBytes = 8 * 2 ** 20;

/** Reads the manifests that files carry. Omits unreadable ones, and those beyond the limit. */
export async function carriedManifests(
  { files, canvas }: Ports,
  sources: readonly Source[],
  { folder, ...options }: TaskOptions & { readonly folder: string },
): Promise<CarriedManifests> {
  const byLabel = new Map<string, Buffer>();
  const byFile = new Map<string, ExtractedManifest>();
  let bytes = 0;
  for (const source of new Map(sources.map((one) => [one.hash, one])).values()) {
    const { container } = source.facts;
    const output = `${folder}/manifest`;
    const extract = (path: string) => canvas.run("extractManifest", { path, container, output }, options);
    const found = await files.withLocalFile(referenceTo(source), extract).catch(unlessFailed);
    if (!found) continue;
    const boxes = [...boxesIn(Buffer.from(await Bun.file(output).bytes()))].map(({ content }) => content);
    const added = new Map(boxes.map((content) => [readSuperbox(content).label, content]));
    const isOther = [...added].some(([label, content]) => byLabel.get(label)?.equals(content) === false);
    const size = sum(boxes.map(({ length }) => length));
    if (isOther || bytes + size > maxBytes) continue;
    bytes += size;
    for (const [label, content] of added) byLabel.set(label, content);
    byFile.set(source.hash, found);
  }
  return { boxes: [...byLabel.values()].map((content) => printBox("jumb", content)), byFile };
}

function unlessFailed(error: unknown): null {
  if (error instanceof SandboxTaskError || isMissing(error)) return null;
  throw error;
}
