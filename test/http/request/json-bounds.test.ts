import { expect, test } from "bun:test";
import { jsonInit, sharedService } from "../../support/service.ts";
import { formOf, newProject, png } from "../../support/uploads.ts";

const service = await sharedService();
const ann = await service.register();

/** Creates a project with an unknown field, which is ignored; the values in it count all the same. */
async function send(ignored: string) {
  const headers = { "content-type": "application/json" };
  const body = `{"name":"x","ignored":${ignored}}`;
  const response = await ann.request("/api/projects", { method: "POST", headers, body });
  const { code, details, error } = await response.json();
  return { status: response.status, code, path: details?.[0]?.path, error };
}

const listOf = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(",")}]`;
const objectOf = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",")}}`;

test.each([
  ["numbers", listOf(5, listOf(9_998, "0"))],
  ["empty lists", listOf(5, listOf(9_998, "[ ]"))],
  ["empty objects", listOf(5, listOf(9_998, "{}"))],
  ["texts", listOf(5, listOf(9_998, '"a,b"'))],
  ["words", listOf(5, listOf(9_998, "null "))],
])("50,000 values are accepted, one more is 400: %s", async (_, almost) => {
  // the body, its name, the outer list, and 5 lists: 3 + 5 × (1 + 9,998) = 49,998
  const withMore = (more: number) => almost.replace(/\]$/, `,${listOf(more - 1, "1")}]`);
  expect((await send(withMore(2))).status).toBe(201);
  expect(await send(withMore(3))).toMatchObject({ status: 400, code: "validation_error", path: "" });
});

test("keys are no values: an object with 49,997 of them is accepted, one more is 400", async () => {
  expect((await send(objectOf(49_997))).status).toBe(201);
  expect(await send(objectOf(49_998))).toMatchObject({ status: 400, path: "" });
});

test.each([
  ["ignored", (list: string) => list],
  ["ignored.1.a", (list: string) => `[1,{"b":[2,3],"a":${list}}]`],
  ["ignored.a,]b.2", (list: string) => `{"x":"y","a,]b":["\\"[",{"c":"d"},${list},1]}`],
  ["ignored.ä", (list: string) => `{"\\u00e4" : ${list}}`],
])("a list of 10,000 items is accepted, one more is 400 at %s", async (path, around) => {
  expect((await send(around(listOf(10_000, "0")))).status).toBe(201);
  expect(await send(around(listOf(10_001, "0")))).toMatchObject({ status: 400, code: "validation_error", path });
});

test.each([
  ["a text of commas", `"${",".repeat(300_000)}"`],
  ["a text of escaped quotes and commas", `"${'\\",'.repeat(300_000)}"`],
  ["a text of escaped backslashes", `["${"\\\\".repeat(300_000)}","a"]`],
  ["white space", `${" \n\t".repeat(300_000)}1`],
])("%s is one value", async (_, value) => {
  expect((await send(value)).status).toBe(201);
});

test("a value deeper than 32 levels is 400 and its place is named", async () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${"}]".repeat(levels / 2)}`;
  expect((await send(`[${nested(30)}]`)).status).toBe(201);
  const path = ["ignored", ..."0a".repeat(15), "0"].join(".");
  expect(await send(nested(32))).toMatchObject({ status: 400, error: expect.stringContaining("32 levels"), path });
});

test.each([
  ["open lists", "[".repeat(4_000_000)],
  ["open objects", '{"a":'.repeat(700_000)],
  ["commas", ",".repeat(4_000_000)],
  ["colons", `{${":".repeat(4_000_000)}`],
  ["closing brackets", "]".repeat(4_000_000)],
  ["an open text", `"${"\\".repeat(3_999_999)}`],
  ["a broken key", `{"\\x":${listOf(10_001, "0")}}`],
])("4 MB of invalid JSON are 400: %s", async (_, text) => {
  expect(await send(text)).toMatchObject({ status: 400, code: "validation_error" });
});

test("a body without a credential holds at most 100 values and 16 KiB", async () => {
  const refresh = async (ignored: unknown) => {
    const response = await service.request("/api/auth/refresh", jsonInit("POST", { refreshToken: "x", ignored }));
    return [response.status, (await response.json()).code];
  };
  expect(await refresh(Array(97).fill(0))).toEqual([401, "invalid_token"]);
  expect(await refresh(Array(98).fill(0))).toEqual([400, "validation_error"]);
  expect(await refresh("a".repeat(16_340))).toEqual([401, "invalid_token"]);
  expect(await refresh("a".repeat(16_384))).toEqual([413, "payload_too_large"]);
  const text = new TextEncoder().encode(JSON.stringify({ refreshToken: "x", ignored: "a".repeat(16_384) }));
  const headers = { "content-type": "application/json" };
  const body = new Blob([text]).stream();
  expect((await service.request("/api/auth/refresh", { method: "POST", headers, body })).status).toBe(413);
});

test("the bounds hold for a list in a form field too", async () => {
  const path = `/api/projects/${await newProject(ann)}/assets`;
  const response = await ann.request(path, {
    method: "POST",
    body: formOf({ file: png(), tags: listOf(10_001, "1") }),
  });

  expect(response.status).toBe(400);
  expect((await response.json()).details).toEqual([{ path: "tags", message: "Tags must have at most 10,000 items." }]);
});
