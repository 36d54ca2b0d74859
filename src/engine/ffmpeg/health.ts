import { DomainError } from "../../errors.ts";
import { shared } from "../../platform/async.ts";

/** Reports whether an ffmpeg that worked at the start still renders. */
export type FfmpegHealth = {
  /** Renders a tiny video now. Callers at the same time share one. */
  works(): Promise<boolean>;
  /** Rejects if the latest tiny video failed. A result is reused for a while, so that checks cost little. */
  check(): Promise<void>;
};

const keepMs = { success: 60_000, failure: 2_000 };

type Result = { readonly at: number; readonly error?: unknown };

/** `render` renders the tiny video; it has just succeeded. */
export function ffmpegHealth(render: () => Promise<void>): FfmpegHealth {
  let latest: Result = { at: performance.now() };
  const probe = shared(async () => {
    latest = await render().then(
      () => ({ at: performance.now() }),
      (error: unknown) => ({ at: performance.now(), error }),
    );
    return latest;
  });
  const isRecent = ({ at, error }: Result) =>
    performance.now() - at < (error === undefined ? keepMs.success : keepMs.failure);
  return {
    works: async () => (await probe()).error === undefined,
    async check() {
      const { error } = isRecent(latest) ? latest : await probe();
      if (error !== undefined) throw error;
    },
  };
}

/**
 * Throws busy if ffmpeg no longer renders anything: such a failure says nothing about the input, because another
 * process, or this one later, can succeed.
 */
export async function requireWorking(ffmpeg: Pick<FfmpegHealth, "works">, cause: unknown): Promise<void> {
  if (!(await ffmpeg.works())) throw new DomainError("busy", { retryAfterSeconds: 2 }, { cause });
}
