import type { Access } from "./credentials.ts";
import { unusable } from "./errors.ts";
import { decoded } from "./json-client.ts";

/** A picture's JSON at 4K has some 35 MiB. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** The bytes of a picture that came as base64. Throws provider_bad_response for anything else. */
export function drawnPicture(base64: string, access: Access): Uint8Array {
  const bytes = decoded(base64);
  if (!bytes || !isPicture(bytes)) throw unusable(access, "what it drew is no picture");
  return bytes;
}

const marks = { png: [0x89, 0x50, 0x4e, 0x47], jpeg: [0xff, 0xd8, 0xff], riff: [0x52, 0x49, 0x46, 0x46] };
const webp = [0x57, 0x45, 0x42, 0x50];

function isPicture(bytes: Uint8Array): boolean {
  const has = (mark: readonly number[], at = 0) => mark.every((byte, index) => bytes[at + index] === byte);
  return has(marks.png) || has(marks.jpeg) || (has(marks.riff) && has(webp, 8));
}

/** The prompt as it is, or cut at a word where it is longer than a model reads. */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength + 1);
  const end = cut.search(/\s\S*$/);
  // one endless word is cut inside, but never inside a character
  return end > 0 ? cut.slice(0, end).trimEnd() : cut.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}
