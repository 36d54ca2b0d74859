import { useEffect } from "preact/hooks";
import { api, type ExportRequest, unwrap } from "../api.ts";
import { asUser } from "../session.ts";
import { type Bench, draftOfBench } from "./bench.ts";
import type { Row } from "./captions.ts";
import { requestOf } from "./request.ts";

type Made = { readonly pages: readonly Page[]; readonly srt: string; readonly vtt: string };
type Page = {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly { readonly text: string; readonly words: readonly { readonly start: number }[] }[];
};

/** The captions that the service makes of a request. */
export const makeCaptions = (request: ExportRequest): Promise<Made> =>
  asUser(() => unwrap(api.captions.$post({ json: request })));

export const rowOf = ({ start, end, lines }: Page): Row => {
  const text = lines.map((line) => line.text).join("\n");
  const marks = lines.flatMap(({ words }) => words.map((word) => word.start));
  // words without spaces between them have no separate times here
  return { start, end, text, ...(text.split(/\s+/).length === marks.length && { marks }) };
};

/** While a person drags or types, the request waits. */
const makeAfterMs = 200;

/** Keeps the captions that the service makes of the spoken words, unless the draft has its own. */
export function useMadeCaptions(bench: Bench): void {
  const { session, ids, made, madeFailure } = bench;
  const draft = draftOfBench(bench);
  const { captions } = draft.editor;
  const request = requestOf(draft, ids);
  const asked = captions && captions.vtt === undefined ? `${JSON.stringify(request)} ${session.version.value}` : "";
  useEffect(() => {
    madeFailure.value = undefined;
    if (!asked) return;
    let isLeft = false;
    const make = () =>
      makeCaptions(request).then(
        ({ pages }) => {
          if (!isLeft) made.value = pages.map(rowOf);
        },
        (error: unknown) => {
          if (isLeft) return;
          made.value = [];
          madeFailure.value = error;
        },
      );
    const timer = setTimeout(() => void make(), made.value ? makeAfterMs : 0);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [asked]);
}
