/** Makes a value at the first call, and returns it at each. */
export function once<Result>(make: () => Result): () => Result {
  let made: { readonly value: Result } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
