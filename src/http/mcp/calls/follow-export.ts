import type { z } from "zod";
import type { Export } from "../../exports/views.ts";
import { FailedRequest } from "./failures.ts";
import { followEvents } from "./follow-events.ts";
import type { ToolCall } from "./tool.ts";
import { idOf } from "./tool-call.ts";

export type ExportView = z.output<typeof Export>;

const hasEnded = ({ status }: Pick<ExportView, "status">) => status !== "queued" && status !== "rendering";

/** Waits until the export ends, for at most `seconds`, and reports its progress. Returns its last state. */
export const followExport = (call: ToolCall, exportId: string, seconds: number): Promise<ExportView> =>
  followEvents<ExportView>(call, `/api/exports/${idOf({ exportId }, "exportId")}`, seconds, {
    hasEnded,
    progressOf,
    merge: (_, state) => state,
  });

const progressOf = ({ progress, stage, etaSeconds }: ExportView) => ({
  progress,
  total: 1,
  message: [stage, etaSeconds !== undefined && `${etaSeconds} s left`].filter(Boolean).join(", "),
});

/** Cancels the export of a cancelled call, whose own signal has already aborted. */
export async function cancelExport(call: ToolCall, exportId: string): Promise<void> {
  const signal = new AbortController().signal;
  await call.request(`/api/exports/${exportId}`, { method: "DELETE", signal }).catch((error) => {
    if (!(error instanceof FailedRequest && error.body.code === "not_found")) throw error;
  });
}
