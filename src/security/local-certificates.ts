import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from "node:crypto";

/** Prints values in ASN.1's distinguished encoding rules (X.690). */

const element = (tag: number, content: Uint8Array): Buffer => {
  const { length } = content;
  const bytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...bytes), content]);
};

const sequence = (...items: readonly Uint8Array[]): Buffer => element(0x30, Buffer.concat(items));

const setOf = (item: Uint8Array): Buffer => element(0x31, item);

/** A positive integer, big-endian, whose first bit is not set. */
const integer = (bytes: Uint8Array): Buffer => element(0x02, bytes);

const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));

const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));

const octets = (content: Uint8Array): Buffer => element(0x04, content);

const bits = (content: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.concat([Buffer.of(unused), content]));

/** A field with its own number instead of its type. */
const tagged = (number: number, content: Uint8Array, isConstructed = false): Buffer =>
  element(0x80 | (isConstructed ? 0x20 : 0) | number, content);

/** From 2050 on, times have four digits for the year. */
const time = (at: Date): Buffer => {
  const digits = at.toISOString().replace(/\.\d+|[-:T]/g, "");
  return at.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2), "latin1"))
    : element(0x18, Buffer.from(digits, "latin1"));
};

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Seven bits per byte; all but the last byte have the eighth bit set. */
function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
  return groups;
}

const ed25519 = sequence(objectId("1.3.101.112"));

export type SigningIdentity = { readonly certificates: string; readonly privateKey: string };

/** Exports have no time from a time stamp server: they are valid as long as these certificates. */
const validity = [time(new Date("2026-01-01")), time(new Date("2046-01-01"))];

/** A certificate authority and a certificate that it issued, derived from a secret. */
export function localIdentity(secret: string): SigningIdentity {
  const derive = (use: string, bytes = 32) =>
    Buffer.from(hkdfSync("sha256", secret, "", `signed videos: ${use}`, bytes));
  const authority = keyPairOf(derive("authority"));
  const signer = keyPairOf(derive("signer"));
  // distinguishes installations
  const serial = derive("name", 4).toString("hex");
  const issuer = `Reelwright local CA ${serial}`;
  const print = (subject: string, publicKey: KeyObject, extensions: readonly Buffer[]) =>
    printCertificate({ issuer, subject, publicKey, extensions, signedBy: authority.privateKey });
  const authorityId = keyIdOf(authority.publicKey);
  const root = print(issuer, authority.publicKey, [
    extension("2.5.29.19", sequence(boolean(true)), true),
    keyUsage(certificateAndListSigning, 1),
    extension("2.5.29.14", octets(authorityId)),
  ]);
  const leaf = print(`Reelwright ${serial}`, signer.publicKey, [
    extension("2.5.29.19", sequence(), true),
    keyUsage(digitalSignature, 7),
    // document signing (RFC 9336)
    extension("2.5.29.37", sequence(objectId("1.3.6.1.5.5.7.3.36"))),
    extension("2.5.29.14", octets(keyIdOf(signer.publicKey))),
    extension("2.5.29.35", sequence(tagged(0, authorityId))),
  ]);
  const privateKey = signer.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { certificates: [leaf, root].map(toPem).join(""), privateKey };
}

const digitalSignature = 0b1000_0000;
const certificateAndListSigning = 0b0000_0110;

type Certificate = {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signedBy: KeyObject;
};

/** X.509 version 3 (RFC 5280). */
function printCertificate({ issuer, subject, publicKey, extensions, signedBy }: Certificate): Buffer {
  const content = sequence(
    tagged(0, integer(Buffer.of(2)), true),
    integer(Buffer.concat([Buffer.of(1), keyIdOf(publicKey).subarray(0, 15)])),
    ed25519,
    nameOf(issuer),
    sequence(...validity),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(3, sequence(...extensions), true),
  );
  return sequence(content, ed25519, bits(sign(null, content, signedBy)));
}

const nameOf = (commonName: string): Buffer =>
  sequence(
    setOf(sequence(objectId("2.5.4.10"), utf8("Reelwright"))),
    setOf(sequence(objectId("2.5.4.3"), utf8(commonName))),
  );

const extension = (id: string, content: Buffer, isCritical = false): Buffer =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(content));

/** The bits of RFC 5280 from the first one, in a byte; unused bits at its end are not counted. */
const keyUsage = (flags: number, unused: number): Buffer =>
  extension("2.5.29.15", bits(Buffer.of(flags), unused), true);

const keyIdOf = (publicKey: KeyObject): Buffer =>
  createHash("sha1")
    .update(publicKey.export({ type: "spki", format: "der" }).subarray(-32))
    .digest();

/** The prefix of the seed of an Ed25519 key in PKCS #8 (RFC 8410). */
const keyPrefix = Buffer.from("302e020100300506032b657004220420", "hex");

function keyPairOf(seed: Buffer) {
  const privateKey = createPrivateKey({ key: Buffer.concat([keyPrefix, seed]), format: "der", type: "pkcs8" });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

const toPem = (der: Buffer): string => {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
};
