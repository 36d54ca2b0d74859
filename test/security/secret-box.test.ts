import { expect, test } from "bun:test";
import { secretBox } from "../../src/security/secret-box.ts";

const box = secretBox("the secret of this service");
const plainText = "correct horse battery staple";

test("any process with the same secret opens a sealed value, which does not reveal the plain text", () => {
  const sealed = box.seal(plainText);
  expect(secretBox("the secret of this service").open(sealed)).toBe(plainText);
  expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("horse");
  expect(box.seal(plainText)).not.toBe(sealed);
});

test("nothing opens with another secret or after a change", () => {
  const sealed = box.seal(plainText);
  const bytes = Buffer.from(sealed, "base64url");
  bytes[bytes.length - 1]! ^= 1;
  expect(secretBox("another secret").open(sealed)).toBeUndefined();
  for (const changed of [bytes.toString("base64url"), sealed.slice(0, 8), ""]) {
    expect(box.open(changed)).toBeUndefined();
  }
});
