/** `status`: all changes but progress. */
export type ChangeFilter = "all" | "status";

/** Changes of what has a state that others follow, such as exports and films, by their ids. */
export type Changes = {
  /** Yields once immediately and after every change, until `signal` aborts. Rapid changes are merged into one. */
  subscribe(id: string, signal: AbortSignal, filter: ChangeFilter): AsyncIterable<void>;
};

export type States<Watched, State> = {
  /**
   * Yields the state and each later one, until `signal` aborts or it has ended; undefined, as the last, if it is gone.
   * Rapid changes are merged into one. Each state is read once for all that watch. While the database does not respond
   * it waits, but throws `unavailable` after what is watched has expired.
   */
  watch(watched: Watched, signal: AbortSignal, filter: ChangeFilter): AsyncIterable<State | undefined>;
};

/** Yields `current` and each later state. Ends with the last one, or when it is gone. */
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
