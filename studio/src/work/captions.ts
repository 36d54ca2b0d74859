import { type Captions, type Draft, type Range, round, withEditor } from "./draft.ts";

/** A caption; `marks` are the times of its words, if all are known. */
export type Row = Range & { readonly text: string; readonly marks?: readonly number[] | undefined };

const clock = (seconds: number): string =>
  new Date(Math.round(Math.max(0, seconds) * 1000)).toISOString().slice(11, 23);
const secondsIn = (text: string): number => round(text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0));

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => escapes[character]!);
const unescaped = (text: string): string =>
  Object.entries(escapes).reduceRight((plain, [character, name]) => plain.replaceAll(name, character), text);

/** Writes a WebVTT file that `rowsOf` reads. */
export const vttOf = (rows: readonly Row[]): string =>
  [
    "WEBVTT\n",
    ...rows.map(({ start, end, text, marks }) => {
      let word = 0;
      let latest = start;
      const marked = escaped(text.trim()).replace(/\S+/g, (each) => {
        const mark = marks?.[word++] ?? 0;
        if (mark <= latest || mark >= end) return each;
        latest = mark;
        return `<${clock(mark)}>${each}`;
      });
      // a blank line would end the caption
      return `${clock(start)} --> ${clock(end)}\n${marked.replace(/\n\s*\n/g, "\n") || "…"}\n`;
    }),
  ].join("\n");

/** Reads captions from a file that `vttOf` wrote. */
export const rowsOf = (vtt: string): readonly Row[] =>
  vtt
    .split("\n\n")
    .slice(1)
    .flatMap((block) => {
      const [times = "", ...lines] = block.trim().split("\n");
      const [start, end] = times.split(" --> ").map(secondsIn);
      if (start === undefined || end === undefined || Number.isNaN(start + end)) return [];
      const marked = lines.join("\n");
      const marks = marked.split(/\s+/).map((word) => secondsIn(/^<([\d:.]+)>/.exec(word)?.[1] ?? String(start)));
      const text = unescaped(marked.replaceAll(/<[\d:.]+>/g, ""));
      return [{ start, end, text, ...(marked.includes("<") && { marks }) }];
    });

/** Sets these captions, and removes other sources of captions. */
export function writeCaptions(draft: Draft, rows: readonly Row[], changes: Partial<Captions> = {}): Draft {
  const {
    from: _from,
    words: _words,
    srt: _srt,
    assetId: _assetId,
    ...look
  } = draft.editor.captions ?? { style: "karaoke" };
  return withEditor(draft, { captions: { ...look, vtt: vttOf(rows), ...changes } });
}

/** Shows captions in another language, starting with the current ones, which are kept. */
export function translateCaptions(draft: Draft, rows: readonly Row[], from: string, to: string): Draft {
  const { [to]: known, ...others } = draft.editor.otherCaptions ?? {};
  const shown = writeCaptions(draft, rows, { language: to, ...(known && { vtt: known }) });
  return withEditor(shown, { otherCaptions: { ...others, [from]: vttOf(rows) } });
}
