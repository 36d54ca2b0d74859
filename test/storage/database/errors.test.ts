import { expect, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { withDatabaseTimeout } from "../../../src/storage/database/errors.ts";
import { codeOf } from "../samples.ts";

const failing = (error: unknown) =>
  withDatabaseTimeout({ call: async (): Promise<void> => Promise.reject(error) }).call();
const withCode = (code: string) => Object.assign(new Error("driver"), { code });

const outages = "CONNECTION_CLOSED CONNECT_TIMEOUT ECONNREFUSED 57P01 57014 53300 08006 28P01 3D000 55000 25006".split(
  " ",
);

test.each(outages)("%s means that the database is unavailable", async (code) => {
  expect(await codeOf(failing(withCode(code)))).toBe("unavailable");
  expect(await codeOf(failing(new Error("wrapped", { cause: withCode(code) })))).toBe("unavailable");
});

test("53100 means that the storage is full", async () => {
  expect(await codeOf(failing(new Error("wrapped", { cause: withCode("53100") })))).toBe("storage_full");
});

test("every other failure passes as it is", async () => {
  expect(await codeOf(failing(withCode("22001")))).toBe("22001");
  expect(await codeOf(failing(new DomainError("precondition_failed", {})))).toBe("precondition_failed");
  expect(await codeOf(failing(new Error("plain")))).toBe("plain");
});

test("a call that is never answered ends as unavailable", async () => {
  const { call } = withDatabaseTimeout({ call: () => new Promise<string>(() => {}) }, 5);

  expect(await codeOf(call())).toBe("unavailable");
});

test("an answer comes through with its arguments", async () => {
  const { add } = withDatabaseTimeout({ add: async (a: number, b: number) => a + b });

  expect(await add(2, 3)).toBe(5);
});
