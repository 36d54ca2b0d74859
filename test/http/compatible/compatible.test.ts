import { afterAll, expect, test } from "bun:test";
import { importEdit } from "../../../src/domain/imports/import-edit.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import { registerOn, sharedService, type TestUser, testService } from "../../support/service.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";

const receiver = webhookReceiver();
const hook = receiver.webhook.url;
const service = await testService({ COMPATIBLE_APIS: "shotstack,creatomate", ...receiver.settings });
afterAll(async () => {
  await receiver.stop();
  await service.close();
});

const ann = await service.register("Ann");
const key = { authorization: "none", "x-api-key": ann.accessToken };

const send = async (user: TestUser, method: string, path: string, body?: unknown, headers = {}) => {
  const response = await user.json(method, path, body, headers);
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() };
};

/** A request with the key in the header of that API. */
const withKey = async (method: string, path: string, body?: unknown) => {
  const headers = { "content-type": "application/json", "x-api-key": ann.accessToken };
  const response = await service.request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() };
};

const text = (words: string) => ({ asset: { type: "text", text: words, font: { size: 12 } }, start: 0, length: 0.3 });
const edit = {
  timeline: { tracks: [{ clips: [text("{{ NAME }}")] }] },
  output: { format: "mp4", fps: 10, size: { width: 64, height: 36 } },
  merge: [{ find: "NAME", replace: "Ann" }],
};
const source = {
  ...{ output_format: "mp4", width: 64, height: 36, frame_rate: 10, duration: 0.3 },
  elements: [{ type: "text", name: "Title", text: "Hi", font_size: 12 }],
};

async function untilEnded<Body>(read: () => Promise<{ body: Body }>, isEnded: (body: Body) => boolean): Promise<Body> {
  for (;;) {
    const { body } = await read();
    if (isEnded(body)) return body;
  }
}

test("an edit of Shotstack is rendered, with a token as the key", async () => {
  const begun = await withKey("POST", "/edit/v1/render", edit);
  expect(begun).toMatchObject({
    status: 201,
    body: { success: true, message: "Created", response: { message: "Render Successfully Queued" } },
  });
  const { id } = begun.body.response;
  const { response } = await untilEnded(
    () => withKey("GET", `/edit/v1/render/${id}`),
    (body) => ["done", "failed"].includes(body.response.status),
  );
  expect(response).toMatchObject({ id, status: "done", owner: ann.user.id });
  const file = await ann.request(new URL(response.url).pathname);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  const projects = await send(ann, "GET", "/api/projects");
  expect(projects.body.map(({ name }: { name: string }) => name)).toEqual(["Imported"]);
});

test("what a film cannot have is refused as that API refuses it", async () => {
  const glowing = { ...edit, timeline: { ...edit.timeline, glow: 1 }, output: { ...edit.output, gamma: 1 } };
  expect(await withKey("POST", "/edit/v1/render", glowing)).toEqual({
    status: 400,
    body: {
      success: false,
      message: "Bad Request",
      response: {
        message: "Validation error",
        error: {
          isJoi: true,
          name: "ValidationError",
          details: [
            { message: '"timeline.glow" is not allowed', path: ["timeline", "glow"] },
            { message: expect.stringContaining('"output.gamma" is not allowed'), path: ["output", "gamma"] },
          ],
        },
      },
    },
  });
  expect(await withKey("POST", "/edit/v1/render", {})).toMatchObject({ status: 400, body: { success: false } });
  expect(await withKey("GET", "/edit/v1/render/x")).toMatchObject({ status: 404, body: { message: "Not Found" } });
  expect(await send(ann, "POST", "/edit/v1/render", edit, key)).toMatchObject({
    status: 401,
    body: { success: false },
  });
});

test("templates are kept and rendered with other values", async () => {
  const made = await withKey("POST", "/edit/v1/templates", { name: "Name", template: edit });
  const { id } = made.body.response;
  expect(made.status).toBe(201);
  expect((await withKey("GET", "/edit/v1/templates")).body.response.templates).toMatchObject([{ id, name: "Name" }]);
  expect((await withKey("GET", `/edit/v1/templates/${id}`)).body.response).toMatchObject({ id, template: edit });
  expect((await withKey("PUT", `/edit/v1/templates/${id}`, { name: "Other", template: edit })).status).toBe(200);
  const begun = await withKey("POST", "/edit/v1/templates/render", { id, merge: [{ find: "NAME", replace: "Ben" }] });
  expect(begun.status).toBe(201);
  expect((await withKey("DELETE", `/edit/v1/templates/${id}`)).status).toBe(204);
  expect((await withKey("GET", `/edit/v1/templates/${id}`)).status).toBe(404);
});

test.each([1, 2])("a source of Creatomate is rendered in version %i", async (version) => {
  const begun = await send(ann, "POST", `/v${version}/renders`, { source, modifications: { Title: "Ho" } });
  const [first] = version === 1 ? begun.body : [begun.body];
  expect([begun.status, first.status]).toEqual([202, "planned"]);
  const ended = await untilEnded(
    () => send(ann, "GET", `/v${version}/renders/${first.id}`),
    ({ status }) => ["succeeded", "failed"].includes(status),
  );
  expect(ended).toMatchObject({ id: first.id, status: "succeeded", output_format: "mp4", width: 64, height: 36 });
});

test("what it lacks is a message with the property", async () => {
  const turned = { ...source, elements: [{ ...source.elements[0], y_rotation: 30 }] };
  expect(await send(ann, "POST", "/v1/renders", turned)).toEqual({
    status: 400,
    body: { message: expect.stringContaining("'elements.0.y_rotation'") },
  });
  expect(await send(ann, "POST", "/v1/renders", { template_id: "x" })).toMatchObject({ status: 400 });
  const other = await registerOn(service.request, "Ben");
  expect((await send(other, "GET", "/v1/renders/op_01a204b03478709c81e91d87a2958b95")).status).toBe(404);
});

test("nothing of it is there by default", async () => {
  const plain = await sharedService();
  const cleo = await plain.register("Cleo");
  const statuses = ["/edit/v1/render", "/v1/renders", "/v2/renders"].map(
    async (path) => (await cleo.json("POST", path, {})).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
});

test("renders of a token are works of the project that it names, which is made once", async () => {
  const ben = await service.register("Ben");
  const scopes = ["projects:read", "projects:write", "works:read", "works:write"];
  const created = await send(ben, "POST", "/api/tokens", { name: "Ads", scopes, rendersInto: "Ads of spring" });
  expect(created.body.meta.rendersInto).toBe("Ads of spring");
  const headers = { "content-type": "application/json", "x-api-key": created.body.token };
  const render = () => service.request("/edit/v1/render", { method: "POST", headers, body: JSON.stringify(edit) });
  for (const response of [await render(), await render()]) {
    const { id } = (await response.json()).response;
    await untilEnded(
      async () => ({ body: await (await service.request(`/edit/v1/render/${id}`, { headers })).json() }),
      (body) => ["done", "failed"].includes(body.response.status),
    );
  }
  const projects = (await send(ben, "GET", "/api/projects")).body;
  expect(projects.map(({ name }: { name: string }) => name)).toEqual(["Ads of spring"]);
  expect((await send(ben, "GET", `/api/projects/${projects[0].id}/works`)).body).toHaveLength(2);
  expect((await send(ben, "GET", "/api/tokens")).body).toMatchObject([{ name: "Ads", rendersInto: "Ads of spring" }]);
});

/** The event that a webhook gets for the render with an id. */
async function eventOf(id: string) {
  for (let count = 1; ; count++) {
    const bodies = (await receiver.receivedOnce(count)).map(({ body }) => JSON.parse(body));
    const event = bodies.find((body) => body.id === id);
    if (event) return event;
    count = Math.max(count, bodies.length);
  }
}

test("a callback of Shotstack gets the end of its render in that form, also of one that failed", async () => {
  const { body } = await withKey("POST", "/edit/v1/render", { ...edit, callback: hook });
  const { id } = body.response;
  const done = { type: "edit", action: "render", id, owner: ann.user.id, status: "done", error: null };
  expect(await eventOf(id)).toEqual({ ...done, url: expect.any(String), completed: expect.any(String) });
  const image = { asset: { type: "image", src: "http://127.0.0.1:9/lost.png" }, start: 0, length: 0.3 };
  const lost = { ...edit, timeline: { tracks: [{ clips: [image] }] }, callback: hook };
  const { id: failed } = (await withKey("POST", "/edit/v1/render", lost)).body.response;
  expect(await eventOf(failed)).toMatchObject({
    id: failed,
    status: "failed",
    url: null,
    error: expect.stringContaining("could not be had"),
  });
  const refused = await withKey("POST", "/edit/v1/render", { ...edit, callback: "ftp://example.com" });
  expect(refused).toMatchObject({ status: 400, body: { success: false, response: { message: expect.any(String) } } });
});

test("a template of Creatomate is rendered by its id, its name or its tags, and tells a webhook its render", async () => {
  const made = await send(ann, "POST", "/v2/templates", { name: "Offer", source, tags: ["spring"] });
  expect(made).toMatchObject({ status: 201, body: { name: "Offer", source, tags: ["spring"] } });
  const { id: templateId } = made.body;
  const order = { template_id: templateId, modifications: { Title: "Ho" }, metadata: "7", webhook_url: hook };
  const { id } = (await send(ann, "POST", "/v2/renders", order)).body;
  const repeated = { ...order, template_name: "Offer", template_tags: ["spring"] };
  const event = await eventOf(id);
  expect(event).toMatchObject({ id, status: "succeeded", width: 64, output_format: "mp4", ...repeated });
  expect((await send(ann, "GET", `/v1/renders/${id}`)).body).toEqual(event);
  for (const named of [{ template_id: "Offer" }, { tags: ["spring"] }]) {
    const begun = await send(ann, "POST", "/v1/renders", named);
    expect(begun).toMatchObject({ status: 202, body: [{ status: "planned", template_id: templateId }] });
  }
  expect(await send(ann, "POST", "/v1/renders", { tags: ["winter"] })).toMatchObject({ status: 400 });
  expect((await send(ann, "GET", "/v2/templates")).body).toMatchObject([{ id: templateId, tags: ["spring"] }]);
  const renamed = await send(ann, "PATCH", `/v2/templates/${templateId}`, { name: "Sale" });
  expect(renamed.body).toMatchObject({ name: "Sale", source });
  expect((await send(ann, "DELETE", `/v2/templates/${templateId}`)).status).toBe(204);
  expect((await send(ann, "GET", `/v2/templates/${templateId}`)).status).toBe(404);
});

test("a repeated import of a render replaces the work that the one before has left", async () => {
  const { services } = service;
  const { id: projectId } = (await send(ann, "POST", "/api/projects", { name: "Again" })).body;
  const user = (await services.users.find(ann.user.id))!;
  const project = (await services.projects.find(user.id, projectId))!;
  const order = { body: source, type: "creatomate", workId: newId("work") } as const;
  const importer = { caller: { user, via: "login", scopes: [] }, project } as const;
  const options = { owner: user.id, signal: new AbortController().signal };
  for (let attempt = 0; attempt < 2; attempt++) await importEdit(services, importer, order, options);
  const { body } = await send(ann, "GET", `/api/projects/${projectId}/works`);
  expect(body.map(({ id }: { id: string }) => id)).toEqual([order.workId]);
});
