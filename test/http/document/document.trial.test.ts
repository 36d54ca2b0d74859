import { expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

test("a linter finds nothing", async () => {
  const text = await (await service.request("/api/openapi.json")).text();
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([
    // the code of a film that ended, which no response has
    'no-unused-components: Component: "WaitedTooLongError" is never used.',
  ]);
  // it finds something where there is something
  const wrong = text.replace('"operationId"', '"operation"');
  expect(await lintFromString({ source: wrong, config })).not.toHaveLength(problems.length);
});
