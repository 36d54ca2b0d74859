import { expect, test } from "bun:test";
import { withScheme } from "../../../../src/domain/ai/style-guide/web-pages.ts";

test.each([
  ["example.com/page", "https://example.com/page"],
  ["www.example.com", "https://www.example.com"],
  ["  example.com:8443/a?b#c\n", "https://example.com:8443/a?b#c"],
  ["example.com?b", "https://example.com?b"],
  ["localhost:3000/x", "https://localhost:3000/x"],
  ["localhost", "https://localhost"],
  ["[::1]/x", "https://[::1]/x"],
  ["bücher.example/käse", "https://bücher.example/käse"],
  ["//example.com/x", "https://example.com/x"],
])("%j becomes %s", (url, complete) => {
  expect(withScheme(url)).toBe(complete);
});

test.each([
  "http://example.com",
  "HTTPS://example.com/x",
  "mailto:ann@example.com",
  "javascript:alert(1)",
  "ftp://example.com",
  "data:text/html,x.y",
  "user:word@example.com/x",
  "nonsense",
  "/page.html",
  "some page.html",
  "",
])("%j stays as it is", (url) => {
  expect(withScheme(url)).toBe(url);
});
