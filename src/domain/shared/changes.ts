/** `status` leaves out changes of the progress alone. */
export type ChangeFilter = "all" | "status";

/** Signals changes of resources that others follow by id, such as exports and films. */
export type Changes = {
  /** Yields once immediately and after every change, until `signal` aborts. Rapid changes are merged into one. */
  subscribe(id: string, signal: AbortSignal, filter: ChangeFilter): AsyncIterable<void>;
};

export type States<Watched, State> = {
  /**
   * Yields the state and each later one until `signal` aborts or the state has ended; a last undefined if the resource
   * was removed. Rapid changes are merged, and each state is read once for all watchers. It waits while the database
   * does not respond, but throws `unavailable` once the watched resource has expired.
   */
  watch(watched: Watched, signal: AbortSignal, filter: ChangeFilter): AsyncIterable<State | undefined>;
};

/** Yields `current` and each later state. Ends with the final state, or when the resource was removed. */
export async function* followStates<State extends { readonly revision: number }>(
  states: States<State, State>,
  current: State,
  { hasEnded, signal, filter = "all" }: FollowOptions<State>,
): AsyncGenerator<State> {
  yield current;
  if (hasEnded(current)) return;
  let { revision } = current;
  for await (const state of states.watch(current, signal, filter)) {
    if (!state) return;
    // another watcher's read can be older than `current`
    if (state.revision <= revision) continue;
    revision = state.revision;
    yield state;
  }
}

type FollowOptions<State> = {
  hasEnded(state: State): boolean;
  readonly signal: AbortSignal;
  readonly filter?: ChangeFilter;
};
