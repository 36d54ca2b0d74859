import { afterEach, expect, setSystemTime, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { credentialCheck } from "../../../src/http/response/event-stream.ts";

afterEach(() => void setSystemTime());

/** Longer than a credential counts as checked. */
const later = () => setSystemTime(Date.now() + 4_000);

test("a credential counts as valid for three seconds, and calls during a query wait for its result", async () => {
  const queries: PromiseWithResolvers<void>[] = [];
  const isAuthorized = credentialCheck(() => {
    const query = Promise.withResolvers<void>();
    queries.push(query);
    return query.promise;
  });
  expect([await isAuthorized(), queries.length]).toEqual([true, 0]);

  later();
  const valid = [isAuthorized(), isAuthorized()];
  queries[0]?.resolve();
  expect([await Promise.all(valid), await isAuthorized(), queries.length]).toEqual([[true, true], true, 1]);

  later();
  const failed = isAuthorized();
  queries[1]?.reject(new Error("no connection"));
  await expect(failed).rejects.toThrow("no connection");

  const revoked = [isAuthorized(), isAuthorized()];
  queries[2]?.reject(new DomainError("invalid_token", {}));
  expect([await Promise.all(revoked), queries.length]).toEqual([[false, false], 3]);
});
