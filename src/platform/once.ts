/** Makes a value at the first call, and returns it at every call. */
export function once<Result>(make: () => Result): () => Result {
  let made: { readonly value: Result } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Like `once`, for each key. */
export function oncePer<Args extends readonly unknown[], Result>(
  keyOf: (...args: Args) => string,
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  const made = new Map<string, Result>();
  return (...args) => {
    const key = keyOf(...args);
    const value = made.has(key) ? made.get(key)! : make(...args);
    made.set(key, value);
    return value;
  };
}

/** Like `once`, but a failure is forgotten: the next call retries. */
export function onceSuccessful<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Shares one run among all callers while it runs. */
export function shared<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let running: Promise<Result> | undefined;
  return (...args) => {
    running ??= run(...args).finally(() => {
      running = undefined;
    });
    return running;
  };
}
