type IdPrefix =
  | "user"
  | "sess"
  | "proj"
  | "work"
  | "asset"
  | "tmpl"
  | "tok"
  | "media"
  | "call"
  | "exp"
  | "evt"
  | "op"
  | "film"
  | "batch"
  | "item"
  | "review"
  | "comment"
  | "version"
  | "delivery"
  | "render";

/** Creates an id from a prefix for the resource type and a UUIDv7, which sorts by creation time. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;

const pattern = /^[a-z]+_[0-9a-f]{32}$/;

/** True if `newId` can have created the value. Keeps malformed ids out of queries. */
export const isId = (prefix: IdPrefix, value: string): boolean => pattern.test(value) && value.startsWith(`${prefix}_`);
