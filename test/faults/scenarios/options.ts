import { availableParallelism } from "node:os";

const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

/** Settings of a run, from the environment. */
export const runOptions = () => ({
  /** Decides the moments of faults and the actions of users. */
  seed: number("SEED", 1),
  /** Processes that are killed. */
  kills: number("KILLS", 100),
  /** How often each kind of outage happens. */
  rounds: number("ROUNDS", 2),
  /** Of rolling restarts. */
  restarts: number("RESTARTS", 3),
  users: number("USERS", availableParallelism() * 2),
  pauseMs: number("PAUSE_MS", 400),
  firstPort: number("FIRST_PORT", 4300),
  keepFolder: process.env.KEEP === "1",
});

export type RunOptions = ReturnType<typeof runOptions>;
