import { expect, test } from "bun:test";
import { sharedService } from "../../support/service.ts";
import { newWork } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register();

type Operation = { readonly requestBody?: { readonly content?: object }; readonly operationId: string };

test("what does not exist is 404, whatever the body is", async () => {
  const { projectId, workId } = await newWork(ann);
  const { paths } = await (await service.request("/api/openapi.json")).json();
  const operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const own: Readonly<Record<string, string>> = { projectId, workId };
  const idOf = (name: string) =>
    own[name] ?? (name === "sceneIndex" ? "0" : `${name.replace("Id", "")}_${"0".repeat(32)}`);
  const wrong: unknown[] = [];
  for (const { path, method, requestBody, operationId } of operations) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const isAsked = requestBody?.content && "application/json" in requestBody.content;
    // makes what its path names
    if (operationId === "putDestination") continue;
    if (!isAsked || names.every((name) => name in own || name === "sceneIndex")) continue;
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => idOf(name));
    const response = await ann.json(method.toUpperCase(), address, {
      name: 5,
      assetId: 5,
      resolved: 5,
      note: 5,
      prompt: 5,
      step: 5,
    });
    if (response.status !== 404) wrong.push([operationId, response.status]);
  }
  expect(wrong).toEqual([]);
});
