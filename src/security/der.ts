/** Prints values in ASN.1's distinguished encoding rules (X.690). */

const element = (tag: number, content: Uint8Array): Buffer => {
  const { length } = content;
  const bytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...bytes), content]);
};

export const sequence = (...items: readonly Uint8Array[]): Buffer => element(0x30, Buffer.concat(items));

export const setOf = (item: Uint8Array): Buffer => element(0x31, item);

/** A positive integer, big-endian, whose first bit is not set. */
export const integer = (bytes: Uint8Array): Buffer => element(0x02, bytes);

export const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));

export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));

export const octets = (content: Uint8Array): Buffer => element(0x04, content);

export const bits = (content: Uint8Array, unused = 0): Buffer =>
  element(0x03, Buffer.concat([Buffer.of(unused), content]));

/** A field with its own number instead of its type. */
export const tagged = (number: number, content: Uint8Array, isConstructed = false): Buffer =>
  element(0x80 | (isConstructed ? 0x20 : 0) | number, content);

/** From 2050 on, times have four digits for the year. */
export const time = (at: Date): Buffer => {
  const digits = at.toISOString().replace(/\.\d+|[-:T]/g, "");
  return at.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2), "latin1"))
    : element(0x18, Buffer.from(digits, "latin1"));
};

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Seven bits per byte; all but the last byte have the eighth bit set. */
function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
  return groups;
}
