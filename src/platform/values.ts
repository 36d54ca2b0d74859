import { createHash } from "node:crypto";

const roundTo = (parts: number) => (value: number) => Math.round(value * parts) / parts;

export const toTenths = roundTo(10);
export const toHundredths = roundTo(100);
export const toThousandths = roundTo(1000);
export const toTenThousandths = roundTo(10_000);

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Returns hexadecimal digits. */
export const sha256Of = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & { [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined> };

/** Removes undefined fields, which would hide those of an object that they are spread over. */
export const withoutUndefined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  // safe because only fields are removed that Defined makes optional
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
