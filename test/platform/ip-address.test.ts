import { expect, test } from "bun:test";
import { isInRange, parseIpAddress, parseIpRange } from "../../src/platform/ip-address.ts";

const isMember = (address: string, range: string) => isInRange(parseIpAddress(address)!, parseIpRange(range)!);

test.each([
  ["10.1.2.3", "10.0.0.0/8", true],
  ["11.1.2.3", "10.0.0.0/8", false],
  ["10.1.2.3", "10.200.0.0/8", true],
  ["10.0.0.1", "10.0.0.1", true],
  ["10.0.0.2", "10.0.0.1", false],
  ["::1", "::1", true],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["10.1.2.3", "::/0", false],
  ["2001:db8::1", "0.0.0.0/0", false],
  ["::ffff:10.1.2.3", "10.0.0.0/8", true],
  ["10.1.2.3", "::ffff:10.0.0.0/104", true],
])("%s is in %s: %p", (address, range, expected) => {
  expect(isMember(address, range)).toBe(expected);
});

test.each([
  "",
  "localhost",
  "10.0.0",
  "10.0.0.256",
  "010.0.0.1.",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "10.0.0.0/255.0.0.0",
  "2001:db8::/129",
  "::ffff:10.0.0.0/95",
])("%p is no range", (text) => {
  expect(parseIpRange(text)).toBeUndefined();
});
