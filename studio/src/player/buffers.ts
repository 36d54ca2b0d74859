export function covers(ranges: TimeRanges, from: number, to: number): boolean {
  for (let index = 0; index < ranges.length; index++) {
    if (ranges.start(index) <= from && ranges.end(index) >= to) return true;
  }
  return false;
}

/** Resolves when the operation that `act` starts has ended. */
export function settled(buffer: SourceBuffer, act: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = ({ type }: Event) => {
      buffer.removeEventListener("updateend", end);
      buffer.removeEventListener("error", end);
      if (type === "error") reject(new Error("The browser cannot read a part of the film."));
      else resolve();
    };
    buffer.addEventListener("updateend", end);
    buffer.addEventListener("error", end);
    try {
      act();
    } catch (error) {
      buffer.removeEventListener("updateend", end);
      buffer.removeEventListener("error", end);
      reject(error);
    }
  });
}

/** Resolves at the first of the events; rejects when the signal aborts. */
export function eventOf(target: EventTarget, types: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController();
    const listen = (on: EventTarget, type: string, act: () => void) =>
      on.addEventListener(
        type,
        () => {
          ended.abort();
          act();
        },
        { signal: ended.signal },
      );
    if (signal.aborted) return reject(signal.reason);
    listen(signal, "abort", () => reject(signal.reason));
    for (const type of types) listen(target, type, resolve);
  });
}
