import { join } from "node:path";
import { Builder, LocalSigner, Reader } from "@contentauth/c2pa-node";

/** How another implementation may sign a file. */
type SigningAlgorithm = "es256" | "ps256";

type Signing = {
  readonly algorithm?: SigningAlgorithm;
  /** IPTC's name of how the file was made. */
  readonly source?: string;
};

/** The file with a manifest of another implementation, whose signer nobody knows. */
export async function signed(file: File, { algorithm = "es256", source = "digitalCapture" }: Signing = {}) {
  const pem = await Bun.file(join(import.meta.dir, "signers", `${algorithm}.pem`)).text();
  const keyAt = pem.indexOf("-----BEGIN PRIVATE KEY-----");
  const signer = LocalSigner.newSigner(Buffer.from(pem.slice(0, keyAt)), Buffer.from(pem.slice(keyAt)), algorithm);
  const digitalSourceType = `http://cv.iptc.org/newscodes/digitalsourcetype/${source}`;
  const builder = Builder.withJson({
    claim_generator_info: [{ name: "Another", version: "1" }],
    assertions: [{ label: "c2pa.actions.v2", data: { actions: [{ action: "c2pa.created", digitalSourceType }] } }],
  } as unknown as Parameters<typeof Builder.withJson>[0]);
  const output = { buffer: null as Buffer | null };
  builder.sign(signer, { buffer: Buffer.from(await file.bytes()), mimeType: file.type }, output);
  return new File([new Uint8Array(output.buffer!)], file.name, { type: file.type });
}

/** What another implementation says of a file. */
type VerifierReport = {
  readonly active_manifest: string;
  readonly validation_state: string;
  readonly validation_status: readonly { readonly code: string }[];
  readonly manifests: {
    readonly [label: string]: {
      readonly assertions: { label: string; data: { actions: object[] } }[];
      readonly ingredients: readonly { readonly active_manifest?: string }[];
    };
  };
};

export async function verify(path: string): Promise<VerifierReport> {
  const reader = await Reader.fromAsset({ path });
  // safe because the reader has parsed a manifest
  return reader!.json() as unknown as VerifierReport;
}
