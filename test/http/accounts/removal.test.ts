import { afterAll, expect, test } from "bun:test";
import { Readable } from "node:stream";
import { addGeneratedMedia } from "../../../src/domain/files/generated-media.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import { codeOf } from "../../storage/samples.ts";
import { controlledRenderer, type Rendering } from "../../support/media/controlled-renderer.ts";
import { password, testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";
import { maintain, placesOf, removeAccount } from "./places.ts";

const network = { ALLOW_PRIVATE_NETWORK: "true" };
const webhook = { url: "http://127.0.0.1/markerk7x" };
const { renderer, next } = controlledRenderer();
let isBroken = false;
const service = await testService(network, undefined, (services) => ({
  renderer: renderer(services),
  files: {
    ...services.files,
    removeFolder: (folder) => (isBroken ? Promise.reject(new Error("broken")) : services.files.removeFolder(folder)),
  },
}));

afterAll(() => service.close());

test.each([
  ["a wrong password", { password: "wrong password" }, {}, 401],
  ["no password", {}, {}, 400],
  ["an older ETag", { password }, { "if-match": '"r1"' }, 412],
])("with %s the account stays", async (_, body, headers, status) => {
  const ann = await service.register();

  expect((await ann.json("DELETE", "/api/auth/me", body, headers)).status).toBe(status);

  expect((await ann.request("/api/auth/me")).status).toBe(200);
});

test("an API token cannot remove the account", async () => {
  const ann = await service.register();
  const { token } = await requireJson(ann.json("POST", "/api/tokens", { name: "CI", scopes: ["projects:write"] }));

  const headers = { authorization: `Bearer ${token}` };
  expect((await ann.json("DELETE", "/api/auth/me", { password }, headers)).status).toBe(403);
});

test("running and waiting exports end with their account, and no webhook tells of them", async () => {
  const ann = await service.register("markerk7x");
  const { projectId, workId, image } = await newWork(ann);
  await image(0, png(64, 36));
  const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
  const request = { projectId, workId, clips, webhook };
  const renderings: Rendering[] = [];
  for (let running = 0; running < 2; running++) {
    const rendering = next();
    await requireJson(ann.json("POST", "/api/exports", request));
    renderings.push(await rendering);
  }
  await requireJson(ann.json("POST", "/api/exports", request));
  const aborted = renderings.map(({ signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)));

  expect((await removeAccount(ann)).status).toBe(204);

  await Promise.all(aborted);
  expect(await placesOf(service, ann, projectId)).toEqual([]);
});

test("files that could not be removed are removed by the housekeeping", async () => {
  const ann = await service.register("markerk7x");
  const { projectId, asset } = await newWork(ann);
  await asset(png());
  const failures: unknown[] = [];
  isBroken = true;

  expect((await removeAccount(ann)).status).toBe(204);
  expect((await ann.request("/api/auth/me")).status).toBe(401);
  await maintain(service, failures);
  expect(failures).toEqual(["removed accounts", expect.any(AggregateError)]);
  expect(await placesOf(service, ann, projectId)).not.toEqual([]);

  isBroken = false;
  await maintain(service);
  expect(await placesOf(service, ann, projectId)).toEqual([]);
});

test("what a request adds after its account is removed is refused as an ended credential", async () => {
  const ann = await service.register();
  await removeAccount(ann);
  const times = { lastUsedAt: null, expiresAt: null, createdAt: 1 };
  const token = { id: newId("tok"), userId: ann.user.id, name: "t", tokenPrefix: "p", hash: "h", scopes: [], ...times };

  expect(await codeOf(service.services.apiTokens.add(token))).toBe("invalid_token");
  const received = await service.services.files.receive(Readable.from([await png().bytes()]), 1_000);
  expect(await codeOf(addGeneratedMedia(service.services, ann.user, received, "image"))).toBe("invalid_token");
  expect(await placesOf(service, ann)).toEqual([]);
});
