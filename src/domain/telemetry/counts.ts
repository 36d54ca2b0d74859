/** The jobs of a queue, over all processes. */
export type QueueDepth = {
  readonly queue: string;
  /** May run now. */
  readonly waiting: number;
  /** Wait for the time of their retry. */
  readonly delayed: number;
  readonly active: number;
  /** How long the oldest waiting job could have run already. */
  readonly oldestWaitingSeconds: number;
};

/** Films, or tables of films, that have not ended. */
export type StatusCount = { readonly status: string; readonly waitingFor: string | null; readonly count: number };
