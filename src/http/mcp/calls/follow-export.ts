import { EventSourceParserStream } from "eventsource-parser/stream";
import type { z } from "zod";
import type { Export } from "../../schemas/responses/exports.ts";
import { FailedRequest } from "./failures.ts";
import type { ToolCall } from "./tool.ts";
import { idOf } from "./tool-call.ts";

export type ExportView = z.output<typeof Export>;

const hasEnded = ({ status }: Pick<ExportView, "status">) => status !== "queued" && status !== "rendering";

/** Waits until the export ends, for at most so many seconds, and reports its progress. Returns its last state. */
export async function followExport(call: ToolCall, exportId: string, seconds: number): Promise<ExportView> {
  const path = `/api/exports/${idOf({ exportId }, "exportId")}`;
  let last: ExportView = await (await call.request(path)).json();
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
      last = JSON.parse(value.data);
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

const progressOf = ({ progress, stage, etaSeconds }: ExportView) => ({
  progress,
  total: 1,
  message: [stage, etaSeconds !== undefined && `${etaSeconds} s left`].filter(Boolean).join(", "),
});

/** Ends an export for a call that was cancelled: the call's own signal has aborted. */
export async function cancelExport(call: ToolCall, exportId: string): Promise<void> {
  const signal = new AbortController().signal;
  await call.request(`/api/exports/${exportId}`, { method: "DELETE", signal }).catch((error) => {
    if (!(error instanceof FailedRequest && error.body.code === "not_found")) throw error;
  });
}
