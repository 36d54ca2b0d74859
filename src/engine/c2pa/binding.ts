import { fstatSync } from "node:fs";
import { z } from "zod";
import { boxExtentsIn, bytesAt, type Extent } from "../mp4/movie.ts";
import { printPosition } from "../mp4/print-boxes.ts";
import { type Carried, UncheckedError } from "./carriers.ts";
import { c2paBoxId } from "./jumbf.ts";
import { assertionsOf, hashBy, type Manifest } from "./store.ts";

const bytes = z.instanceof(Uint8Array);

const DataHash = z.object({
  exclusions: z
    .array(z.object({ start: z.int().min(0), length: z.int().min(0) }))
    .max(64)
    .default([]),
  alg: z.string().optional(),
  hash: bytes,
});

const BoxHash = z.object({
  exclusions: z
    .array(
      z.looseObject({
        xpath: z.string(),
        data: z.array(z.object({ offset: z.int().min(0), value: bytes })).nullish(),
      }),
    )
    .max(64),
  alg: z.string().optional(),
  hash: bytes.optional(),
  merkle: z.unknown().optional(),
});

type File = { readonly file: number; readonly carried: Carried };

/** C2PA's failure code if the file was changed after it was signed; undefined if not. Throws UncheckedError. */
export function bindingFailure(manifest: Manifest, file: File): string | undefined {
  const labels = [...manifest.assertions.keys()].map((label) => label.replace(/__\d+$/, ""));
  const [label, ...others] = labels.filter((name) => name.startsWith("c2pa.hash."));
  if (!label) return "claim.hardBindings.missing";
  if (others.length > 0) throw new UncheckedError("The manifest has several hashes of the file.");
  const [assertion] = assertionsOf(manifest, label);
  const { alg } = manifest.claim;
  if (label === "c2pa.hash.data")
    return isDataBound(DataHash.parse(assertion), alg, file) ? undefined : "assertion.dataHash.mismatch";
  if (!label.startsWith("c2pa.hash.bmff")) throw new UncheckedError("The file's hash is of an unknown kind.");
  const hasPositions = label !== "c2pa.hash.bmff";
  return areBoxesBound(BoxHash.parse(assertion), alg, file, hasPositions) ? undefined : "assertion.bmffHash.mismatch";
}

/** True if the hash of all bytes outside the manifest matches. */
function isDataBound({ exclusions, hash, alg }: z.output<typeof DataHash>, name: string | undefined, file: File) {
  const { start, end } = file.carried.extent;
  if (exclusions.some((one) => one.start < start || one.start + one.length > end))
    throw new UncheckedError("The file's hash excludes other parts, too.");
  const running = hashBy(alg ?? name);
  let at = 0;
  for (const one of exclusions.toSorted((one, other) => one.start - other.start)) {
    updateWith(running, file.file, { start: at, end: one.start });
    at = one.start + one.length;
  }
  updateWith(running, file.file, { start: at, end: fstatSync(file.file).size });
  return running.digest().equals(hash);
}

/** Boxes without picture or sound. */
const emptyBoxes: ReadonlySet<string> = new Set(["ftyp", "mfra", "free", "skip"]);

const maxBoxes = 100_000;

/** True if the hash of the boxes matches; each is hashed after its position in the file. */
function areBoxesBound(
  { exclusions, hash, merkle, alg }: z.output<typeof BoxHash>,
  name: string | undefined,
  { file }: File,
  hasPositions: boolean,
): boolean {
  if (!hash || merkle) throw new UncheckedError("The file is hashed in parts.");
  const size = fstatSync(file).size;
  const running = hashBy(alg ?? name);
  let at = 0;
  let left = maxBoxes;
  for (const { type, end } of boxExtentsIn(file, { start: 0, end: size })) {
    if (--left < 0) throw new UncheckedError("The file has too many boxes.");
    const whole = { start: at, end };
    at = end;
    const named = exclusions.filter(({ xpath }) => xpath.split("/")[1] === type);
    if (named.some((exclusion) => isLeftOut(exclusion, type, file, whole))) continue;
    if (hasPositions) running.update(printPosition(whole.start));
    updateWith(running, file, whole);
  }
  return at === size && running.digest().equals(hash);
}

type Exclusion = z.output<typeof BoxHash>["exclusions"][number];

/** Throws UncheckedError if the exclusion concerns more than C2PA's own box and boxes without picture or sound. */
function isLeftOut({ xpath, data, ...others }: Exclusion, type: string, file: number, box: Extent): boolean {
  const isWhole = xpath === `/${type}` && Object.values(others).every((value) => value === null || value === undefined);
  const isOwn = type === "uuid" && data?.length === 1 && data[0]!.offset === 8 && c2paBoxId.equals(data[0]!.value);
  if (!isWhole || !(isOwn || (emptyBoxes.has(type) && !data)))
    throw new UncheckedError("The file's hash excludes other boxes, too.");
  return !isOwn || bytesAt(file, box, 8, c2paBoxId.length).equals(c2paBoxId);
}

const blockBytes = 2 ** 20;

function updateWith(running: ReturnType<typeof hashBy>, file: number, { start, end }: Extent): void {
  for (let at = start; at < end; at += blockBytes)
    running.update(bytesAt(file, { start, end }, at - start, blockBytes));
}
