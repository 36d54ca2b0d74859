import { expect, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { withDatabaseTimeout } from "../../../src/storage/database/errors.ts";
import { codeOf } from "../samples.ts";

const failing = (error: unknown) =>
  withDatabaseTimeout({ call: async (): Promise<void> => Promise.reject(error) }).call();
const withCode = (code: string) => Object.assign(new Error("driver"), { code });

const outages = "ECONNREFUSED ECONNRESET ETIMEDOUT 57P01 57014 53300 08006 28P01 3D000 55000 25006".split(" ");

test.each(outages)("%s maps to unavailable", async (code) => {
  expect(await codeOf(failing(withCode(code)))).toBe("unavailable");
  expect(await codeOf(failing(new Error("wrapped", { cause: withCode(code) })))).toBe("unavailable");
});

test.each([
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "Query read timeout",
  "Client has encountered a connection error and is not queryable",
])("the driver's error %p maps to unavailable", async (message) => {
  expect(await codeOf(failing(new Error("wrapped", { cause: new Error(message) })))).toBe("unavailable");
});

test("53100 maps to storage_full", async () => {
  expect(await codeOf(failing(new Error("wrapped", { cause: withCode("53100") })))).toBe("storage_full");
});

test("other errors are not changed", async () => {
  expect(await codeOf(failing(withCode("22001")))).toBe("22001");
  expect(await codeOf(failing(new DomainError("precondition_failed", {})))).toBe("precondition_failed");
  expect(await codeOf(failing(new Error("plain")))).toBe("plain");
});

test("a call without a response times out as unavailable", async () => {
  const { call } = withDatabaseTimeout({ call: () => new Promise<string>(() => {}) }, 5);

  expect(await codeOf(call())).toBe("unavailable");
});

test("a wrapped method receives its arguments and returns its result", async () => {
  const { add } = withDatabaseTimeout({ add: async (a: number, b: number) => a + b });

  expect(await add(2, 3)).toBe(5);
});
