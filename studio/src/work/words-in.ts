import { rowsOf, vttOf } from "./captions.ts";
import { type Draft, type Overlay, withEditor } from "./draft.ts";
import { overlaysOf, putOverlay } from "./overlays.ts";

type Span = { readonly text?: unknown; readonly [field: string]: unknown };

const spansOf = ({ spans }: Overlay): readonly Span[] | undefined => (Array.isArray(spans) ? spans : undefined);

/** The words of a text, with its lines. */
export const wordsOf = (overlay: Overlay): string =>
  String(
    spansOf(overlay)
      ?.map(({ text = "" }) => text)
      .join("") ??
      overlay.text ??
      "",
  );

/** The fields that give a text these words. Of several styles, the first stays. */
export function withWords(overlay: Overlay, text: string): Overlay {
  const [first] = spansOf(overlay) ?? [];
  if (!first) return { text };
  return { spans: [{ ...first, text }], ...(overlay.text !== undefined && { text }) };
}

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A pattern that finds words in any case, and over the ends of lines. */
function patternOf(find: string): RegExp | undefined {
  const words = find.trim().split(/\s+/);
  return words[0] === "" ? undefined : new RegExp(`(${words.map(escaped).join("\\s+")})`, "giu");
}

/** Parts of a text: each second one is what was looked for. */
export const partsOf = (text: string, find: string): readonly string[] => text.split(patternOf(find) ?? /$^/);

type Replaced = {
  readonly draft: Draft;
  /** How often the words were found. */
  readonly count: number;
  /** The different texts with these words, before. */
  readonly hits: readonly string[];
};

/** Replaces words in the texts, the scenes and the captions of a film. */
export function replaceWords(draft: Draft, find: string, by: string): Replaced {
  const pattern = patternOf(find);
  if (!pattern) return { draft, count: 0, hits: [] };
  let count = 0;
  const hits = new Set<string>();
  const replaced = (text: string) =>
    text.replace(pattern, () => {
      count += 1;
      hits.add(text);
      return by;
    });
  let next = draft;
  for (const placed of overlaysOf(draft)) {
    const spans = spansOf(placed.overlay)?.map((span) =>
      typeof span.text === "string" ? { ...span, text: replaced(span.text) } : span,
    );
    const changes = spans
      ? { spans, ...(placed.overlay.text !== undefined && { text: wordsOf({ spans }) }) }
      : { text: replaced(String(placed.overlay.text ?? "")) };
    if (JSON.stringify({ ...placed.overlay, ...changes }) !== JSON.stringify(placed.overlay) && wordsOf(placed.overlay))
      next = putOverlay(next, placed, changes);
  }
  const scenes = draft.scenes.map((scene) => ({
    ...scene,
    ...Object.fromEntries(
      (["text_overlay", "voice_text"] as const).flatMap((field) => {
        const words = scene[field];
        return typeof words === "string" ? [[field, replaced(words)]] : [];
      }),
    ),
  }));
  const { captions, otherCaptions } = draft.editor;
  const inFile = (vtt: string) => vttOf(rowsOf(vtt).map((row) => replacedRow(row, replaced)));
  const before = count;
  const captioned = withEditor(next, {
    ...(captions?.vtt && { captions: { ...captions, vtt: inFile(captions.vtt) } }),
    ...(otherCaptions && {
      otherCaptions: Object.fromEntries(Object.entries(otherCaptions).map(([tag, vtt]) => [tag, inFile(vtt)])),
    }),
  });
  // an editor that keeps its words is not saved
  if (count > before) next = captioned;
  return { draft: count === 0 ? draft : { ...next, scenes }, count, hits: [...hits] };
}

/** Words keep their times if there are as many as before. */
function replacedRow<Row extends { readonly text: string; readonly marks?: readonly number[] | undefined }>(
  row: Row,
  replaced: (text: string) => string,
): Row {
  const text = replaced(row.text);
  const isSameCount = text.trim().split(/\s+/).length === row.marks?.length;
  return { ...row, text, marks: isSameCount ? row.marks : undefined };
}
