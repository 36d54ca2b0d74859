import type { ModelCredentials } from "./credentials.ts";
import { badResponse } from "./errors.ts";
import { decodeBase64 } from "./json-client.ts";

/** The JSON of a 4K image has about 35 MiB. */
export const maxImageResponseBytes = 64 * 1024 * 1024;

/** The bytes of a base64 image. Throws provider_bad_response unless they are a PNG, JPEG or WebP file. */
export function decodeImage(base64: string, credentials: ModelCredentials): Uint8Array {
  const bytes = decodeBase64(base64);
  if (!bytes || !isImage(bytes)) throw badResponse(credentials, "it is not an image");
  return bytes;
}

const magic = { png: [0x89, 0x50, 0x4e, 0x47], jpeg: [0xff, 0xd8, 0xff], riff: [0x52, 0x49, 0x46, 0x46] };
const webp = [0x57, 0x45, 0x42, 0x50];

export function isImage(bytes: Uint8Array): boolean {
  const has = (magicBytes: readonly number[], offset = 0) =>
    magicBytes.every((byte, index) => bytes[offset + index] === byte);
  return has(magic.png) || has(magic.jpeg) || (has(magic.riff) && has(webp, 8));
}
