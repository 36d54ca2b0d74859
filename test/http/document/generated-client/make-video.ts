import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

/*
 * A program of a user: every type comes from the OpenAPI document. The test generates schema.d.ts beside a copy of it.
 * Usage: make-video.ts <url> <token> <clip> <output>
 */

const [url = "", token = "", clip = "", output = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });

const toForm = (fields: Record<string, string | Blob>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

function dataOf<Data>({ data, error }: { data?: Data; error?: { error: string; code: string } }): Data {
  if (error || data === undefined) throw new Error(error?.error ?? "No data");
  return data;
}

const project = dataOf(await client.POST("/api/projects", { body: { name: "Generated", projectType: "saas" } }));
const projectId: string = project.id;
// @ts-expect-error a project has no such field
const title = project.title;
// @ts-expect-error a project needs a name
const nameless: components["schemas"]["NewProject"] = { projectType: "saas" };

const file = new Blob([await Bun.file(clip).bytes()]);
const asset: components["schemas"]["Asset"] = dataOf(
  await client.POST("/api/projects/{projectId}/assets", {
    params: { path: { projectId } },
    body: { file, name: "Clip", tags: '["demo"]' },
    bodySerializer: toForm,
  }),
);

const work = dataOf(
  await client.POST("/api/projects/{projectId}/works", {
    params: { path: { projectId } },
    body: { name: "Film", scenes: [{ duration_seconds: 1 }] },
  }),
);
const workId = work.id;
const media = dataOf(
  await client.POST("/api/projects/{projectId}/works/{workId}/media/scene/{sceneIndex}/video", {
    params: { path: { projectId, workId, sceneIndex: "0" } },
    body: { file },
    bodySerializer: toForm,
  }),
);

const { data: queued, response } = await client.POST("/api/exports", {
  body: {
    projectId,
    workId,
    clips: [{ sceneIndex: 0, position: 0, end: 1, transition: "fade" }],
    texts: [{ text: "Hello", position: 0, end: 1 }],
    options: { width: 64, height: 112 },
  },
});
if (!queued) throw new Error(`The export was refused: ${response.status}`);
const params = { path: { exportId: queued.id } };

// the stream ends with the export
const events = await client.GET("/api/exports/{exportId}/events", { params, parseAs: "text" });
const ended: components["schemas"]["Export"] = dataOf(await client.GET("/api/exports/{exportId}", { params }));

const video = await client.GET("/api/exports/{exportId}/file", { params, parseAs: "arrayBuffer" });
await Bun.write(output, dataOf(video));

const missing = await client.GET("/api/projects/{projectId}", { params: { path: { projectId: "proj_none" } } });
const refused = await client.POST("/api/projects", { body: { name: "" } });

await Bun.write(
  Bun.stdout,
  JSON.stringify({
    ...(title && nameless),
    asset: asset.type,
    width: asset.width,
    uploaded: media.ok,
    status: ended.status,
    progress: ended.progress,
    lastEvent: dataOf(events).trim().split("\n\n").at(-1)?.split("\n")[0],
    // narrowed by their codes
    missing: missing.error?.code === "not_found" ? missing.error.error : "",
    field: refused.error?.code === "validation_error" ? refused.error.details[0]?.path : "",
  }),
);
