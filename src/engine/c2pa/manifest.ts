import { createHash } from "node:crypto";
import { encode } from "cbor2";
import type { ReservedBox } from "../mp4/join.ts";
import { printBox } from "../mp4/print-boxes.ts";
import type { DigitalSource, Ingredient, Signer, Statement } from "../ports.ts";
import { signDetached } from "./cose.ts";
import { c2paBoxId, superbox, superboxContent } from "./jumbf.ts";
import type { ExtractedManifest } from "./read.ts";

/** The signed facts about a video. */
export type Provenance = {
  readonly statement: Statement;
  readonly signer: Signer;
  readonly carried: CarriedManifests;
  /** The program that makes the claim. */
  readonly generator: { readonly name: string; readonly version: string };
};

/** The manifests of ingredients that a film's manifest carries, as boxes, and each file's own by its hash. */
export type CarriedManifests = {
  readonly boxes: readonly Buffer[];
  readonly byFile: ReadonlyMap<string, ExtractedManifest>;
};

/** The `uuid` box with the manifest of a video. Only the hash and the signature in it depend on the video. */
export function provenanceBox(provenance: Provenance): ReservedBox {
  const print = (hash: Buffer) =>
    printBox(
      "uuid",
      c2paBoxId,
      Buffer.alloc(4),
      Buffer.from("manifest\0"),
      Buffer.alloc(8),
      printStore(provenance, hash, assertion("c2pa.hash.bmff.v3", bmffHash(hash))),
    );
  return { bytes: print(Buffer.alloc(32)).length, print };
}

/**
 * The store of the manifest of an image, whose hash is that of its other bytes. `length` is that of the part of the file
 * that begins at `start` and holds the store.
 */
export const imageStore = (provenance: Provenance, hash: Buffer, excluded: Excluded): Buffer =>
  printStore(provenance, hash, assertion("c2pa.hash.data", dataHash(hash, excluded)));

type Excluded = { readonly start: number; readonly length: number };

const dataHash = (hash: Buffer, excluded: Excluded) => ({
  exclusions: [excluded],
  alg: "sha256",
  hash: new Uint8Array(hash),
  name: "jumbf manifest",
  pad: new Uint8Array(0),
});

/** A store with one manifest (C2PA 2.2). Equal for equal videos of one signer: it has no time and no random parts. */
function printStore({ statement, signer, carried, generator }: Provenance, hash: Buffer, binding: Assertion): Buffer {
  const id = uuidOf(hash);
  const ingredients = statement.ingredients.map((ingredient, index) =>
    assertion(index === 0 ? "c2pa.ingredient.v3" : `c2pa.ingredient.v3__${index}`, ingredientOf(ingredient, carried)),
  );
  const actions = assertion("c2pa.actions.v2", { actions: actionsOf(statement, ingredients.map(referenceTo)) });
  const assertions = [...ingredients, actions, binding];
  const claim = encode({
    instanceID: `xmp:iid:${id}`,
    claim_generator_info: { ...generator },
    signature: "self#jumbf=c2pa.signature",
    created_assertions: assertions.map(referenceTo),
    alg: "sha256",
  });
  const manifest = superbox(
    "c2ma",
    `urn:c2pa:${id}`,
    superbox("c2as", "c2pa.assertions", ...assertions.map(({ content }) => printBox("jumb", content))),
    superbox("c2cl", "c2pa.claim.v2", printBox("cbor", claim)),
    superbox("c2cs", "c2pa.signature", printBox("cbor", signDetached(claim, signer))),
  );
  return superbox("c2pa", "c2pa", ...carried.boxes, manifest);
}

type Assertion = { readonly label: string; readonly content: Buffer };

const assertion = (label: string, value: object): Assertion => ({
  label,
  content: superboxContent("cbor", label, printBox("cbor", encode(value))),
});

const referenceTo = ({ label, content }: Assertion) => ({
  url: `self#jumbf=c2pa.assertions/${label}`,
  hash: new Uint8Array(createHash("sha256").update(content).digest()),
});

/** A UUID of version 4 in form, as C2PA requires. */
function uuidOf(hash: Buffer): string {
  const bytes = createHash("sha256").update("manifest").update(hash).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A hash of everything except the box itself and the boxes that C2PA always excludes. */
const bmffHash = (hash: Buffer) => ({
  exclusions: [
    { xpath: "/uuid", data: [{ offset: 8, value: new Uint8Array(c2paBoxId) }] },
    { xpath: "/ftyp" },
    { xpath: "/mfra" },
  ],
  alg: "sha256",
  hash: new Uint8Array(hash),
  name: "jumbf manifest",
});

/** The film does not show the source image of a clip or a font, but what was made with it. */
const relationOf = ({ role }: Ingredient): "inputTo" | "componentOf" =>
  role === "sceneImage" || role === "font" ? "inputTo" : "componentOf";

const ingredientOf = (ingredient: Ingredient, { byFile }: CarriedManifests) => ({
  relationship: relationOf(ingredient),
  "dc:title": titleOf(ingredient),
  "dc:format": ingredient.mimeType,
  ...carriedIn(ingredient, byFile.get(ingredient.sha256)),
});

/** The file's own manifest, and the result of its verification. */
function carriedIn({ manifest, mimeType }: Ingredient, carried: ExtractedManifest | undefined) {
  if (!manifest || !carried) return {};
  const url = `self#jumbf=/c2pa/${carried.label}`;
  const signature = `${url}/c2pa.signature`;
  const bound = `assertion.${mimeType.startsWith("image/") ? "dataHash" : "bmffHash"}.match`;
  return {
    activeManifest: { url, hash: bytesOf(carried.hash) },
    claimSignature: { url: signature, hash: bytesOf(carried.signatureHash) },
    validationResults: {
      activeManifest: {
        success: [
          { code: "claimSignature.validated", url: signature },
          ...(manifest.state === "valid" ? [{ code: bound, url }] : []),
        ],
        informational: [],
        failure: [
          // no list of trusted signers is consulted
          { code: "signingCredential.untrusted", url: signature },
          ...manifest.failures.map((code) => ({ code, url })),
        ],
      },
    },
  };
}

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));

/** Omits the names that users gave their files: they are private. */
function titleOf({ role, scene }: Ingredient): string {
  const name = role === "sceneImage" ? "image" : role === "effect" ? "sound effect" : role;
  return scene === undefined ? name[0]!.toUpperCase() + name.slice(1) : `Scene ${scene + 1}, ${name}`;
}

const iptc = (source: DigitalSource): string => `http://cv.iptc.org/newscodes/digitalsourcetype/${source}`;

/** Custom fields begin with the name of the program, as C2PA requires. */
const own = (name: string): string => `app.reelwright.${name}`;

/** The actions that composed the film: each places an ingredient and says how that was made. */
const actionsOf = ({ source, ingredients }: Statement, references: readonly ReturnType<typeof referenceTo>[]) => [
  { action: "c2pa.created", digitalSourceType: iptc(source) },
  ...ingredients.map((ingredient, index) => ({
    // an ingredient that is not shown itself was not placed
    action: relationOf(ingredient) === "inputTo" ? own("used") : "c2pa.placed",
    ...(ingredient.source && { digitalSourceType: iptc(ingredient.source) }),
    ...(ingredient.model && { softwareAgent: { name: `${ingredient.model.provider} ${ingredient.model.model}` } }),
    parameters: {
      ingredients: [references[index]!],
      [own("sha256")]: ingredient.sha256,
      ...(ingredient.inputHash && { [own("inputHash")]: ingredient.inputHash }),
      ...(ingredient.manifest && { [own("manifest")]: ingredient.manifest.state }),
    },
  })),
];
