import { expect, test } from "bun:test";
import { parseResponse } from "hono/client";
import { connect } from "../../../src/client.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const { accessToken } = await service.register();
const client = connect("http://localhost", { token: accessToken, fetch: service.request });

const { projects } = client.api;
const { works, templates } = projects[":projectId"];
const project = await parseResponse(projects.$post({ json: { name: "P", styleGuide: { tone: "warm", own: [1] } } }));
const param = { projectId: project.id };

test("the typed client can send a project back as it read it", async () => {
  const again = await parseResponse(projects[":projectId"].$put({ param, json: project }));
  expect(again).toEqual({ ...project, updatedAt: again.updatedAt });
});

test("the typed client can send a work back as it read it", async () => {
  const editorState = { textTrack: [{ id: "a", start: 0, end: 1, own: 2 }], textOverlays: { a: { text: "x" } } };
  const work = await parseResponse(
    works.$post({ param, json: { editorState, scenes: [], analysis: { tempo: "fast" } } }),
  );
  const named = { ...param, workId: work.id };
  const again = await parseResponse(works[":workId"].$put({ param: named, json: work }));
  expect(again).toEqual({ ...work, updatedAt: again.updatedAt });
});

test("the typed client can send a template back as it read it", async () => {
  const content = { defaultTransition: { type: "fade" as const, duration: 1 }, textOverlays: [] };
  const template = await parseResponse(templates.$post({ param, json: { name: "T", content } }));
  const named = { ...param, templateId: template.id };
  const again = await parseResponse(templates[":templateId"].$put({ param: named, json: template }));
  expect(again).toEqual({ ...template, updatedAt: again.updatedAt });
});
