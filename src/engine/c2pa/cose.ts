import { encode, Tag } from "cbor2";
import type { Signer } from "../ports.ts";

/** COSE (RFC 9052): the fields of a header, and the number of Ed25519. */
const algorithm = 1;
const certificateChain = 33;
const edDsa = -8;

export const sign1Tag = 18;

/** Signs bytes without repeating them in the signature. Its length does not depend on them. */
export function signDetached(payload: Uint8Array, { certificates, sign }: Signer): Uint8Array {
  const chain = certificates.map(plain);
  const header = encode(
    new Map<number, unknown>([
      [algorithm, edDsa],
      [certificateChain, chain.length === 1 ? chain[0] : chain],
    ]),
  );
  const signature = plain(sign(encode(["Signature1", header, new Uint8Array(), payload])));
  return encode(new Tag(sign1Tag, [header, new Map(), null, signature]));
}

/** The encoder would print a Buffer as the result of its toJSON. */
const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
