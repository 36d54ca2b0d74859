import { formatTable } from "../../engine/timeline/format.ts";
import { DomainError, invalid } from "../../errors.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import type { VideoTarget } from "../exports/request/targets.ts";
import { fillBeginning, type PlaceholderValues, placeholderFields } from "../templates/placeholders.ts";
import type { BatchOrder } from "./batch.ts";
import { cellOf, type TableRow } from "./rows.ts";

const maxBytes = 200;
/** The limit of a filled name before it is cut to bytes: three composed characters have at least three bytes. */
const maxFilledCharacters = 1000;

/** Control characters, characters that Windows forbids, and marks that change the direction of a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds them
const forbidden = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Names of Windows devices, with any extension. */
const device = /^(con|conin\$|conout\$|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))/i;

/** Makes a file name that every system accepts, with the extension once, in at most 200 bytes. */
function safeFileName(text: string, extension: string): string {
  const normalized = text.normalize("NFC");
  const bare = normalized.toLowerCase().endsWith(extension) ? normalized.slice(0, -extension.length) : normalized;
  const safe = bare.replace(forbidden, "_").replace(/^[\s.]+/, (signs) => "_".repeat(signs.length));
  const cut = cutToBytes(safe, maxBytes - extension.length - 1).replace(/[\s.]+$/, "");
  const named = cut.replace(device, "_$1");
  return `${named === "" ? "_" : named}${extension}`;
}

/** Cuts without splitting a character. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let length = 0;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    length += Buffer.byteLength(segment);
    if (length > bytes) break;
    cut += segment;
  }
  return cut;
}

/** Distinguishes each row, language and target. */
export const defaultFileName = ({ languages, targets }: Pick<BatchOrder, "languages" | "targets">): string =>
  [
    "{{key}}",
    ...(languages.some((language) => language !== "") ? ["{{language}}"] : []),
    ...(targets.length > 1 ? ["{{target}}"] : []),
  ].join("_");

/** The extension of a batch's files. */
export const extensionOf = ({ format = "mp4" }: Pick<BatchOrder, "format">): string =>
  `.${formatTable[format].extension}`;

type NamedVideo = { readonly language: string; readonly target: VideoTarget };

/** The name of a film. Besides the columns there are row, key, language and target. */
export function fileNameOf(
  order: Pick<BatchOrder, "fileName" | "format">,
  { row, key, cells }: TableRow,
  { language, target }: NamedVideo,
): string {
  const { fileName } = order;
  const own = { row: `${row}`, key, language, target: target.replace(":", "x") };
  const keys = placeholderFields(fileName).flatMap((field) => field.keys);
  const values = keys.flatMap((name): [string, string][] => {
    const cell = Object.hasOwn(own, name) ? own[name as keyof typeof own] : cellOf(cells, name, language);
    return cell === undefined ? [] : [[name, cell]];
  });
  const filled: PlaceholderValues = Object.fromEntries(values);
  return safeFileName(fillBeginning(fileName, filled, maxFilledCharacters), extensionOf(order));
}

type NamedOrder = Pick<BatchOrder, "fileName" | "format" | "languages" | "targets">;

/** Throws validation_error if a name lacks a column, or two films have one name. Yields to other requests. */
export async function requireFileNames(order: NamedOrder, rows: readonly TableRow[]): Promise<void> {
  const used = new Map<string, number>();
  const keys = placeholderFields(order.fileName).flatMap((field) => field.keys);
  const named = keys.filter((key) => !["row", "key", "language", "target"].includes(key));
  for (const row of rows) {
    for (const language of order.languages) {
      const missing = named.find((key) => cellOf(row.cells, key, language) === undefined);
      if (missing !== undefined) {
        throw invalid("fileName", `Row ${row.row} has no column ${JSON.stringify(missing)}, which the name contains.`);
      }
      await yieldIfBusy();
      for (const target of order.targets) {
        const name = fileNameOf(order, row, { language, target });
        const folded = name.toLowerCase();
        const earlier = used.get(folded);
        if (earlier !== undefined) throw sameName(name, earlier, row.row);
        used.set(folded, row.row);
      }
    }
  }
}

const sameName = (name: string, one: number, other: number) =>
  new DomainError("validation_error", {
    issues: [
      {
        path: "fileName",
        message:
          one === other
            ? `Two films of row ${one} would have the name ${JSON.stringify(name)}: add {{language}} or {{target}}.`
            : `Rows ${one} and ${other} would both have the name ${JSON.stringify(name)}: add a column that differs.`,
      },
    ],
  });
