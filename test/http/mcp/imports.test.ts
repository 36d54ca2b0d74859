import { afterAll, expect, test } from "bun:test";
import { callTool, failureOf, newClient } from "../../support/mcp-clients.ts";
import { sharedService } from "../../support/service.ts";
import { listen, newProject } from "../../support/uploads.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const server = listen(service);
const projectId = await newProject(ann);
const client = await newClient(server, ann.accessToken);
afterAll(async () => {
  await client.close();
  server.stop();
});

const edit = {
  ...{ width: 64, height: 36, duration: 1 },
  elements: [{ type: "text", text: "Hi", font_size: 12, x_rotation: 20 }],
};

test("an agent imports an edit and reads what differs", async () => {
  const made = await callTool(client, "works_import", { projectId, edit });
  expect(made).toMatchObject({ report: { ignored: [{ path: "elements.0.x_rotation" }] }, missingMedia: [] });
  expect(await callTool(client, "works_get", { projectId, workId: made.id })).toMatchObject({ id: made.id });
  expect(await failureOf(client, "works_import", { projectId, edit, type: "editly" })).toStartWith(
    "validation_error: ",
  );
});
