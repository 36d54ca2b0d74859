import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Progress, ToolCall } from "./tool.ts";

type Followed<State> = {
  hasEnded(state: State): boolean;
  progressOf(state: State): Progress;
  /** The state after an event. */
  merge(known: State, data: State): State;
};

/** Follows the events of a path until their end, for at most `seconds`. Returns the last state. */
export async function followEvents<State>(
  call: ToolCall,
  path: string,
  seconds: number,
  { hasEnded, progressOf, merge }: Followed<State>,
): Promise<State> {
  let last: State = await (await call.request(path)).json();
  if (seconds === 0 || hasEnded(last)) return last;
  const events = await call.request(`${path}/events`);
  const reader = events
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const stop = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(stop, seconds * 1000);
  if (call.signal.aborted) stop();
  else call.signal.addEventListener("abort", stop, { once: true });
  try {
    for (let { value } = await reader.read(); value; { value } = await reader.read()) {
      last = merge(last, JSON.parse(value.data));
      if (hasEnded(last)) break;
      await call.report(progressOf(last));
    }
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", stop);
    stop();
  }
  return last;
}
