import { createHash } from "node:crypto";
import { decode } from "cbor2";
import { z } from "zod";
import { type Box, boxesIn, boxOf } from "../mp4/boxes.ts";
import { UncheckedError } from "./carriers.ts";
import { typeSuffix } from "./jumbf.ts";

/** A JUMBF box that holds others. Its hash covers `content`. */
type Superbox = {
  /** Undefined if it is not one of C2PA's own. */
  readonly type: string | undefined;
  readonly label: string;
  readonly content: Buffer;
  readonly boxes: readonly Box[];
};

export type Manifest = {
  readonly label: string;
  readonly content: Buffer;
  readonly claim: Claim;
  readonly claimBytes: Uint8Array;
  readonly signature: Superbox;
  /** The assertions by label. */
  readonly assertions: ReadonlyMap<string, Superbox>;
};

const maxLabelBytes = 400;

export function readSuperbox(content: Buffer): Superbox {
  const [head, ...boxes] = boxesIn(content);
  if (head?.type !== "jumd") throw new Error("A box has no description.");
  const labelEnd = head.content.indexOf(0, 17);
  if (labelEnd < 0 || labelEnd > maxLabelBytes) throw new Error("A box has no label.");
  const label = head.content.toString("utf8", 17, labelEnd);
  // the last toggle marks the salt of a hash
  const isPlain = head.content.subarray(4, 16).equals(typeSuffix) && (head.content[16]! & ~0b1_0000) === 0b11;
  return { type: isPlain ? head.content.toString("latin1", 0, 4) : undefined, label, content, boxes };
}

const superboxesIn = ({ boxes }: Superbox): readonly Superbox[] =>
  boxes.filter(({ type }) => type === "jumb").map(({ content }) => readSuperbox(content));

const maxManifests = 200;

/** The boxes of all manifests in a store, the active one last. */
export function manifestBoxes(store: Buffer): readonly Superbox[] {
  const content = boxOf(store, "jumb");
  const root = content && readSuperbox(content);
  if (root?.type !== "c2pa") throw new Error("There is no manifest.");
  const manifests = superboxesIn(root);
  if (manifests.length > maxManifests) throw new UncheckedError("There are too many manifests.");
  return manifests;
}

const bytes = z.instanceof(Uint8Array);

const HashedUri = z.object({ url: z.string(), hash: bytes, alg: z.string().optional() });
type HashedUri = z.output<typeof HashedUri>;

const Generator = z.object({ name: z.string(), version: z.string().optional() });

const references = z.array(HashedUri).max(10_000).default([]);

const Claim = z.object({
  alg: z.string().optional(),
  claim_generator: z.string().optional(),
  signature: z.string().default(""),
  claim_generator_info: z.union([Generator, z.array(Generator)]).optional(),
  assertions: references,
  created_assertions: references,
  gathered_assertions: references,
});
type Claim = z.output<typeof Claim>;

/** Deeper than any assertion, and far below the limit of the stack. */
const maxDepth = 64;

export const decodeCbor = (bytes: Uint8Array): unknown => decode(new Uint8Array(bytes), { maxDepth });

/** The labels of manifests since version 2 of C2PA. */
const secondLabel = /^urn:c2pa:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(:|$)/i;

export function readManifest(box: Superbox): Manifest {
  // updates have no hash of the file, and compressed manifests are boxes of another kind
  if (box.type !== "c2ma") throw new UncheckedError("The manifest is of an unsupported kind.");
  const parts = superboxesIn(box);
  const isFirstVersion = parts.some(({ label }) => label === "c2pa.claim");
  if (!isFirstVersion && !secondLabel.test(box.label)) throw new Error("A manifest has an invalid name.");
  const part = (type: string, ...labels: readonly string[]): Superbox => {
    const found = parts.filter(({ label }) => labels.includes(label));
    if (found.length !== 1 || found[0]!.type !== type) throw new Error("A part of the manifest is missing.");
    return found[0]!;
  };
  const claimBytes = contentOf(part("c2cl", "c2pa.claim.v2", "c2pa.claim"));
  const assertions = superboxesIn(part("c2as", "c2pa.assertions"));
  return {
    label: box.label,
    content: box.content,
    claim: Claim.parse(decodeCbor(claimBytes)),
    claimBytes,
    signature: part("c2cs", "c2pa.signature"),
    assertions: new Map(assertions.map((assertion) => [assertion.label, assertion])),
  };
}

/** The content of a superbox: CBOR for claims, signatures and most assertions. */
export function contentOf({ boxes }: Superbox): Buffer {
  const content = boxes.find(({ type }) => type === "cbor")?.content;
  if (!content) throw new Error("A part of the manifest has no content.");
  return content;
}

export const referencesOf = ({ claim }: Manifest): readonly HashedUri[] => [
  ...claim.assertions,
  ...claim.created_assertions,
  ...claim.gathered_assertions,
];

/** The manifest and the assertion that an address within a store names. */
export function parseAddress(url: string, own: string): { readonly manifest: string; readonly assertion: string } {
  const path = url.replace(/^self#jumbf=/, "");
  const [, manifest = own, rest = path] = path.match(/^\/c2pa\/([^/]+)(?:\/(.*))?$/) ?? [];
  return { manifest, assertion: rest.replace(/^c2pa\.assertions\//, "") };
}

/** The decoded assertions whose labels begin with `prefix`. */
export const assertionsOf = ({ assertions }: Manifest, prefix: string): readonly unknown[] =>
  [...assertions.values()].filter(({ label }) => label.startsWith(prefix)).map((box) => decodeCbor(contentOf(box)));

const Ingredient = z.object({ c2pa_manifest: HashedUri.optional(), activeManifest: HashedUri.optional() });

export const ingredientsOf = (manifest: Manifest): readonly HashedUri[] =>
  assertionsOf(manifest, "c2pa.ingredient")
    .map((value) => Ingredient.parse(value))
    .flatMap(({ c2pa_manifest, activeManifest }) => activeManifest ?? c2pa_manifest ?? []);

const hashNames: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512"]);

/** A running hash by a name that C2PA allows. */
export function hashBy(name = "sha256") {
  if (!hashNames.has(name)) throw new UncheckedError("The manifest has hashes of an unknown kind.");
  return createHash(name);
}
