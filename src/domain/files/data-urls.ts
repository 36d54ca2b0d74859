import { invalid } from "../../errors.ts";

export const isDataUrl = (url: string): boolean => /^data:/i.test(url);

/** Returns the bytes of a data URL and ignores its media type. Throws validation_error at `path` if it is malformed. */
export function decodeDataUrl(url: string, path: string): Uint8Array {
  const comma = url.indexOf(",");
  if (comma < 0) throw invalid(path, "Must contain its data after a comma.");
  const isBase64 = /;\s*base64\s*$/i.test(url.slice(0, comma));
  const unescaped = unescapeBytes(url.slice(comma + 1));
  const bytes = isBase64 ? decodeBase64(unescaped) : unescaped;
  if (!bytes) throw invalid(path, "Must contain its data in base64.");
  return bytes;
}

/** Decodes percent escapes bytewise: they may encode bytes that are not UTF-8, which decodeURIComponent rejects. */
function unescapeBytes(text: string): Buffer {
  const latin1 = Buffer.from(text).toString("latin1");
  const plain = latin1.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, "latin1");
}

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function decodeBase64(bytes: Buffer): Buffer | undefined {
  const text = bytes.toString("latin1").replace(/\s+/g, "");
  return base64.test(text) && text.length % 4 !== 1 ? Buffer.from(text, "base64") : undefined;
}
