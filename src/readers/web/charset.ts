import { isUtf8 } from "node:buffer";
import { fileTypeFromBuffer } from "file-type";
import sniffEncoding from "html-encoding-sniffer";

// browsers scan 1024 bytes for a declaration; some pages declare it later
const maxPrescanBytes = 4096;

/** Decodes a page in the encoding that the HTML standard detects. Undefined if the bytes are not text. */
export async function decodePage(bytes: Uint8Array): Promise<string | undefined> {
  if (!startsLikePage(bytes) && (await fileTypeFromBuffer(bytes))) return undefined;
  const text = new TextDecoder(encodingOf(bytes) as Bun.Encoding).decode(bytes);
  return isText(text) ? text : undefined;
}

/** A byte order mark or a tag. file-type takes `<?xml` for XML, and text like "MZ" after a mark for a program. */
const startsLikePage = (bytes: Uint8Array): boolean =>
  /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff|\s*<)/.test(new TextDecoder("latin1").decode(bytes.subarray(0, maxPrescanBytes)));

function encodingOf(bytes: Uint8Array): string {
  const defaultEncoding = isUtf8(bytes) ? "UTF-8" : "windows-1252";
  const encoding = sniffEncoding(bytes, { maxPrescanBytes, defaultEncoding });
  // the standard's name for legacy encodings that are unsafe to decode, such as HZ; TextDecoder throws for it
  return encoding === "replacement" ? defaultEncoding : encoding;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: human-readable text has none of these
const isText = (text: string) => !/[\u0000-\u0008\u000e-\u001a]/.test(text);
