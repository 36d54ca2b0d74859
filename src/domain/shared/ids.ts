export type IdPrefix = "user" | "proj" | "work" | "asset" | "tmpl" | "tok" | "media" | "call" | "exp" | "evt";

/** A fresh id: its prefix says what it names, its body sorts by time. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;

const shape = /^[a-z]+_[0-9a-f]{32}$/;

/** False for anything that `newId` cannot have made, so that it never reaches a query. */
export const isId = (prefix: IdPrefix, value: string): boolean => shape.test(value) && value.startsWith(`${prefix}_`);
