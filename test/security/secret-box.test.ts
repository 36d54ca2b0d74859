import { expect, test } from "bun:test";
import { secretBox } from "../../src/domain/exports/webhooks/sealed-secrets.ts";

const box = secretBox("the secret of this service");
const secret = "correct horse battery staple";

test("what was sealed is opened by every process with the same secret, and shows nothing", () => {
  const sealed = box.seal(secret);
  expect(secretBox("the secret of this service").open(sealed)).toBe(secret);
  expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("horse");
  expect(box.seal(secret)).not.toBe(sealed);
});

test("nothing opens under another secret, or after a change", () => {
  const sealed = box.seal(secret);
  const bytes = Buffer.from(sealed, "base64url");
  bytes[bytes.length - 1]! ^= 1;
  expect(secretBox("another secret").open(sealed)).toBeUndefined();
  for (const changed of [bytes.toString("base64url"), sealed.slice(0, 8), ""]) {
    expect(box.open(changed)).toBeUndefined();
  }
});
