import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeDataUrl, isDataUrl } from "../../../src/domain/files/data-urls.ts";
import { isDomainError } from "../../../src/errors.ts";

const decode = (url: string) => Buffer.from(decodeDataUrl(url, "image_url"));

test("decodes any bytes from base64 and from percent escapes", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const buffer = Buffer.from(bytes);
      const escaped = [...buffer].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
      expect(decode(`data:image/png;base64,${buffer.toString("base64")}`)).toEqual(buffer);
      expect(decode(`data:image/png;base64,${buffer.toString("base64url")}`)).toEqual(buffer);
      expect(decode(`data:image/png,${escaped}`)).toEqual(buffer);
    }),
  );
});

test("base64 may be percent-escaped, wrapped over lines, and declared in capitals", () => {
  expect(decode("DATA:image/png;name=a;BASE64,aGVs%0D%0AbG8%3D").toString()).toBe("hello");
});

test.each(["data:image/png;base64", "data:image/png;base64,a*b=", "data:image/png;base64,abcde"])(
  "rejects %s",
  (url) => {
    let error: unknown;
    try {
      decode(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(isDomainError(error) && error.facts).toMatchObject({ issues: [{ path: "image_url" }] });
  },
);

test("recognises data URLs only", () => {
  expect([isDataUrl("data:,x"), isDataUrl("https://data:,x"), isDataUrl("database")]).toEqual([true, false, false]);
});
