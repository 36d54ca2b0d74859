/** The values that were used last. */
type RecentValues<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  /** Returns the value. */
  readonly set: (key: Key, value: Value) => Value;
};

export function recentValues<Key, Value>(size: number): RecentValues<Key, Value> {
  const values = new Map<Key, Value>();
  const set = (key: Key, value: Value): Value => {
    values.delete(key);
    values.set(key, value);
    if (values.size > size) values.delete(values.keys().next().value as Key); // safe because it is not empty
    return value;
  };
  return {
    get(key) {
      const value = values.get(key);
      return value === undefined ? undefined : set(key, value);
    },
    set,
  };
}
