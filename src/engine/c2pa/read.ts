import { z } from "zod";
import { sha256Of } from "../../platform/values.ts";
import { withFile } from "../mp4/movie.ts";
import { printBox } from "../mp4/print-boxes.ts";
import type { Container, FileManifest } from "../timeline/source.ts";
import { bindingFailure } from "./binding.ts";
import { type Carried, findStore, UncheckedError } from "./carriers.ts";
import { verifySignature } from "./signature.ts";
import {
  assertionsOf,
  hashBy,
  ingredientsOf,
  type Manifest,
  manifestBoxes,
  parseAddress,
  readManifest,
  referencesOf,
} from "./store.ts";

const nothing = { sources: [], failures: [], isIntact: false };

/** Reads and verifies the manifest in a file; undefined if there is none. Never throws. */
export function readFileManifest(path: string, container: Container): FileManifest | undefined {
  try {
    return withFile(path, (file) => {
      const carried = findStore(file, container);
      return carried && verifyStore(file, carried);
    });
  } catch (error) {
    return { ...nothing, state: stateAfter(error) };
  }
}

const stateAfter = (error: unknown) => (error instanceof UncheckedError ? "unchecked" : "invalid");

function verifyStore(file: number, carried: Carried): FileManifest {
  const { active, others, areIntact } = readStore(carried.store);
  const described = { sources: sourcesOf([active, ...others]), generator: generatorOf(active) };
  try {
    const { signer, failures } = verifyManifest(active);
    const isIntact = failures.length === 0 && areIntact;
    const found = { ...described, signer, isIntact };
    try {
      const unbound = bindingFailure(active, { file, carried });
      const all = [...failures, ...(unbound ? [unbound] : [])];
      return { ...found, state: all.length === 0 ? "valid" : "invalid", failures: all };
    } catch (error) {
      return { ...found, state: failures.length > 0 ? "invalid" : stateAfter(error), failures };
    }
  } catch (error) {
    return { ...nothing, ...described, state: stateAfter(error) };
  }
}

type Store = {
  readonly active: Manifest;
  /** The manifests of its ingredients, recursively. */
  readonly others: readonly Manifest[];
  readonly areIntact: boolean;
};

function readStore(store: Buffer): Store {
  const boxes = manifestBoxes(store);
  const last = boxes.at(-1);
  if (!last) throw new Error("There is no manifest.");
  const active = readManifest(last);
  const reached = new Map([[active.label, active]]);
  let areIntact = true;
  // a manifest may name one that names it again
  for (const manifest of reached.values()) {
    try {
      if (manifest !== active && verifyManifest(manifest).failures.length > 0) areIntact = false;
      for (const reference of ingredientsOf(manifest)) {
        const { manifest: label } = parseAddress(reference.url, manifest.label);
        const named = boxes.filter((box) => box.label === label);
        const [box] = named;
        if (!box || named.length > 1 || !hasHash(box.content, reference, manifest)) areIntact = false;
        if (box && !reached.has(label)) reached.set(label, readManifest(box));
      }
    } catch {
      areIntact = false;
    }
  }
  return { active, others: [...reached.values()].slice(1), areIntact };
}

const hasHash = (
  content: Buffer,
  { hash, alg }: { readonly hash: Uint8Array; readonly alg?: string | undefined },
  { claim }: Manifest,
) =>
  hashBy(alg ?? claim.alg)
    .update(content)
    .digest()
    .equals(hash);

/** Verifies a manifest against its own claim and signature. */
function verifyManifest(manifest: Manifest) {
  const { signer, holds } = verifySignature(manifest);
  const references = referencesOf(manifest);
  const named = new Set<string>();
  const failures = new Set(holds ? [] : ["claimSignature.mismatch"]);
  // the label of a manifest is not signed, but the claim's address of its signature is
  const own = parseAddress(manifest.claim.signature, manifest.label);
  if (own.manifest !== manifest.label || own.assertion !== manifest.signature.label)
    failures.add("claimSignature.missing");
  for (const reference of references) {
    const address = parseAddress(reference.url, manifest.label);
    const assertion = address.manifest === manifest.label ? manifest.assertions.get(address.assertion) : undefined;
    named.add(address.assertion);
    if (!assertion) failures.add("assertion.missing");
    else if (!hasHash(assertion.content, reference, manifest)) failures.add("assertion.hashedURI.mismatch");
  }
  if ([...manifest.assertions.keys()].some((label) => !named.has(label))) failures.add("assertion.undeclared");
  return { signer: { ...signer, subject: signer.subject.slice(0, maxText) }, failures: [...failures] };
}

const maxText = 200;

const made = z.object({ digitalSourceType: z.string().optional() });
const Actions = z.object({
  actions: z.array(made).max(10_000).default([]),
  templates: z.array(made).max(10_000).default([]),
});

const maxSources = 16;

/** IPTC's names, which end its URLs, of all digital sources in a file. */
function sourcesOf(manifests: readonly Manifest[]): readonly string[] {
  const found = new Set<string>();
  for (const manifest of manifests) {
    for (const assertion of readable(() => assertionsOf(manifest, "c2pa.actions"))) {
      const { actions, templates } = Actions.safeParse(assertion).data ?? { actions: [], templates: [] };
      for (const { digitalSourceType } of [...actions, ...templates]) {
        const [, name] = digitalSourceType?.match(/\/([A-Za-z]{1,64})$/) ?? [];
        if (name) found.add(name);
      }
    }
  }
  return [...found].slice(0, maxSources);
}

function readable(read: () => readonly unknown[]): readonly unknown[] {
  try {
    return read();
  } catch {
    return [];
  }
}

function generatorOf({ claim }: Manifest): string | undefined {
  const info = [claim.claim_generator_info ?? []].flat()[0];
  const name = info ? [info.name, info.version].filter(Boolean).join(" ") : claim.claim_generator;
  return name?.slice(0, maxText);
}

/** A manifest that another one can carry, and the hashes that identify it there. */
export type ExtractedManifest = {
  readonly label: string;
  /** SHA-256 of its box and of its signature's box, in hexadecimal digits. */
  readonly hash: string;
  readonly signatureHash: string;
};

/** Reads the manifest of a file and those of its ingredients, as consecutive boxes, its own last. */
export function extractManifest(path: string, container: Container): (ExtractedManifest & { boxes: Buffer }) | null {
  return withFile(path, (file) => {
    const carried = findStore(file, container);
    if (!carried) return null;
    const { active, others } = readStore(carried.store);
    return {
      label: active.label,
      hash: sha256Of(active.content),
      signatureHash: sha256Of(active.signature.content),
      boxes: Buffer.concat([...others, active].map(({ content }) => printBox("jumb", content))),
    };
  });
}
