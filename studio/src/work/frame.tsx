import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { drawFrame, type ExportRequest, sentenceOf, type Target } from "../api.ts";

type Picture = {
  readonly request: ExportRequest;
  readonly seconds: number;
  readonly maxSide: number;
  readonly target?: Target | undefined;
  /** Incremented when files of the work are replaced. */
  readonly version: number;
};

/** URLs of pictures by their content. */
const drawn = new Map<string, string>();
const maxDrawn = 150;
const atOnce = 2;
const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await act();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

async function draw({ request, seconds, maxSide, target }: Picture, signal: AbortSignal): Promise<string> {
  return await inTurn(async () => {
    signal.throwIfAborted();
    const query = { t: String(seconds), maxSide: String(maxSide), ...(target && { target }) };
    return await drawFrame(request, query, { signal });
  });
}

function remember(key: string, url: string): void {
  drawn.set(key, url);
  const [oldest] = drawn;
  if (drawn.size <= maxDrawn || !oldest) return;
  drawn.delete(oldest[0]);
  URL.revokeObjectURL(oldest[1]);
}

/** While a person drags or types, drawing waits. */
const drawAfterMs = 120;

type FrameProps = Picture & { readonly alt: string; readonly class?: string };

/** A frame drawn by the service. The last one stays until the next is loaded. */
export function Frame({ alt, class: name, ...picture }: FrameProps) {
  const shown = useSignal<string | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const key = JSON.stringify(picture);
  useEffect(() => {
    const known = drawn.get(key);
    if (known) {
      failure.value = undefined;
      shown.value = known;
      return;
    }
    const abort = new AbortController();
    const show = async () => {
      try {
        const url = await draw(picture, abort.signal);
        remember(key, url);
        if (abort.signal.aborted) return;
        failure.value = undefined;
        shown.value = url;
      } catch (error) {
        if (!abort.signal.aborted) failure.value = error;
      }
    };
    const timer = setTimeout(() => void show(), drawAfterMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return (
    <>
      {shown.value && <img class={name} src={shown.value} alt={alt} draggable={false} />}
      {failure.value !== undefined && <span class="no-frame">{sentenceOf(failure.value)}</span>}
    </>
  );
}
