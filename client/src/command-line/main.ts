#!/usr/bin/env node
import { CommanderError } from "commander";
import { exitCodeOf, exitCodes, InterruptedError } from "./exit-codes.ts";
import { Output } from "./output.ts";
import { reelwright } from "./program.ts";

const interrupted = new AbortController();

// once: a second Ctrl-C ends the process at once
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => interrupted.abort(new InterruptedError("Interrupted.")));
}

// a reader such as `head` may close the pipe early
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.done);
});

const program = reelwright(interrupted.signal);
try {
  await program.parseAsync();
} catch (error) {
  // commander has printed its own
  if (!(error instanceof CommanderError)) new Output(program.opts().json === true).error(error);
  process.exitCode = exitCodeOf(error);
}
