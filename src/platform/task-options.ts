/** The owner and the lifetime of a task. Tasks that wait for the same resource take turns by owner. */
export type TaskOptions = {
  /** User id. */
  readonly owner: string;
  /** Aborts when the result is no longer needed. */
  readonly signal?: AbortSignal;
};
