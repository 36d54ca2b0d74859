import { expect, test } from "bun:test";
import fc from "fast-check";
import { bytesOfDataUrl, isDataUrl } from "../../../src/domain/files/data-urls.ts";
import { isDomainError } from "../../../src/errors.ts";

const read = (url: string) => Buffer.from(bytesOfDataUrl(url, "image_url"));

test("any bytes come back from base64 and from percent escapes", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const buffer = Buffer.from(bytes);
      const escaped = [...buffer].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
      expect(read(`data:image/png;base64,${buffer.toString("base64")}`)).toEqual(buffer);
      expect(read(`data:image/png;base64,${buffer.toString("base64url")}`)).toEqual(buffer);
      expect(read(`data:image/png,${escaped}`)).toEqual(buffer);
    }),
  );
});

test("base64 may be escaped, spread over lines, and named in capitals", () => {
  expect(read("DATA:image/png;name=a;BASE64,aGVs%0D%0AbG8%3D").toString()).toBe("hello");
});

test.each(["data:image/png;base64", "data:image/png;base64,a*b=", "data:image/png;base64,abcde"])(
  "%s is refused",
  (url) => {
    let error: unknown;
    try {
      read(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(isDomainError(error) && error.facts).toMatchObject({ issues: [{ path: "image_url" }] });
  },
);

test("what only looks like one is none", () => {
  expect([isDataUrl("data:,x"), isDataUrl("https://data:,x"), isDataUrl("database")]).toEqual([true, false, false]);
});
