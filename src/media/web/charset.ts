import { fileTypeFromBuffer } from "file-type";

// where browsers look for it, and a little more
const headBytes = 4096;

/** The text of a page in the encoding that it names; undefined for what is no text at all. */
export async function decodePage(bytes: Uint8Array): Promise<string | undefined> {
  const encoding = bomOf(bytes);
  if (!encoding && !startsLikeMarkup(bytes) && (await fileTypeFromBuffer(bytes))) return undefined;
  const text = decode(bytes, encoding ?? namedEncoding(bytes));
  return isText(text) ? text : undefined;
}

const boms = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

const bomOf = (bytes: Uint8Array) =>
  boms.find((bom) => bom.bytes.every((byte, index) => bytes[index] === byte))?.encoding;

const headOf = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes.subarray(0, headBytes));

const startsLikeMarkup = (bytes: Uint8Array) => headOf(bytes).trimStart().startsWith("<");

const declarations = [
  /<meta\s[^>]{0,500}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})/i,
  /^\s{0,99}<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i,
];

function namedEncoding(bytes: Uint8Array): string | undefined {
  const head = headOf(bytes);
  const name = declarations.flatMap((declaration) => declaration.exec(head)?.[1] ?? []).at(0);
  // a page that could be read up to here is not written in 16 bits, whatever it says
  return name && /^utf-?16/i.test(name) ? "utf-8" : name;
}

function decode(bytes: Uint8Array, encoding: string | undefined): string {
  const named = encoding && tryDecode(bytes, encoding, false);
  return named || (tryDecode(bytes, "utf-8", true) ?? new TextDecoder("windows-1252").decode(bytes));
}

function tryDecode(bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined {
  try {
    // safe because a name that is none throws
    return new TextDecoder(encoding as Bun.Encoding, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no text for people has these
const isText = (text: string) => !/[\u0000-\u0008\u000e-\u001a]/.test(text);
