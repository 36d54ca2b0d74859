import { basename } from "node:path";
import { parseResponse } from "hono/client";
import { type Client, connect } from "../src/client.ts";

/** A person's first film, one call of the API at a time. */

export async function register(url: string): Promise<string> {
  const email = `demo+${crypto.randomUUID()}@example.com`;
  const json = { email, password: crypto.randomUUID(), name: "Demo" };
  return (await parseResponse(connect(url).api.auth.register.$post({ json }))).accessToken;
}

/** Uploads are streams, so they go as plain multipart requests. */
export const uploader = (url: string, token: string) => async (path: string, field: string, file: string) => {
  const body = new FormData();
  body.set(field, Bun.file(file), basename(file));
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(await response.text());
  const { id } = (await response.json()) as { id?: string };
  return id ?? "";
};

export async function createProject(api: Client): Promise<string> {
  const styleGuide = { tone: "warm, quick", color_palette: ["#ff6b35", "#fff8f0", "#1b1b3a"], must_avoid: ["jargon"] };
  const json = { name: "Sunrise launch", projectType: "social" as const, styleGuide };
  return (await parseResponse(api.api.projects.$post({ json }))).id;
}

export async function createWork(api: Client, projectId: string): Promise<string> {
  const json = { name: "Sunrise – first film", videoDuration: 12, resolution: { width: 720, height: 1280 } };
  return (await parseResponse(api.api.projects[":projectId"].works.$post({ param: { projectId }, json }))).id;
}

const badge = { width: 150, height: 150, centerX: 240, centerY: -520, rotation: 12, opacity: 0.9 };
const outlined = { maxWidth: 640, strokeColor: "#1b1b3a", strokeWidth: 6, animateIn: "pop", animateOut: "fade" };
const headline = { fontSize: 84, fontColor: "#fff8f0", centerX: 0 };

export async function createTemplate(api: Client, projectId: string, logo: string): Promise<string> {
  const content = {
    textOverlays: [
      { ...headline, id: "title", text: "{{product}}", centerY: -120, timingMode: "relative" as const, endPercent: 40 },
      { ...headline, id: "claim", text: "{{claim}}", centerY: 320, timingMode: "relative" as const, startPercent: 35 },
    ],
    imageOverlays: [{ ...badge, id: "badge", assetId: logo, timingMode: "absolute" as const, startSeconds: 1 }],
    defaultTransition: { type: "slideleft" as const, duration: 0.6 },
    exportSettings: { width: 720, height: 1280, fps: 30 },
  };
  const json = { name: "Launch", content };
  return (await parseResponse(api.api.projects[":projectId"].templates.$post({ param: { projectId }, json }))).id;
}

export async function applyTemplate(api: Client, projectId: string, workId: string, templateId: string) {
  const json = { templateId, placeholderValues: { product: "Sunrise ☀️", claim: "Coffee that\nwakes up with you" } };
  const param = { projectId, workId };
  return parseResponse(api.api.projects[":projectId"].works[":workId"]["apply-template"].$post({ param, json }));
}

/** Three clips of four seconds, and the look of the texts that the template placed. */
export async function saveCut(api: Client, projectId: string, workId: string, fontAssetId: string) {
  const work = api.api.projects[":projectId"].works[":workId"];
  const param = { projectId, workId };
  const { editorState } = await parseResponse(work.$get({ param }));
  if (!editorState) throw new Error("The template left nothing in the editor.");
  const look = { ...outlined, fontAssetId };
  const textOverlays = Object.fromEntries(
    Object.entries(editorState.textOverlays).map(([id, overlay]) => [id, { ...overlay, ...look }]),
  );
  const videoTrack = [0, 1, 2].map((sceneIndex) => ({
    id: `clip-${sceneIndex}`,
    sceneIndex,
    start: sceneIndex * 4,
    end: sceneIndex * 4 + 4,
    transitionType: ["circleopen", "slideleft", "cut"][sceneIndex],
    transitionDuration: 0.6,
    fit: "cover",
  }));
  const editorData = { ...editorState.editorData, videoTrack };
  return parseResponse(work.$put({ param, json: { editorState: { ...editorState, editorData, textOverlays } } }));
}

/** Everything comes from the work's editor; answers what the film is, for people. */
export async function exportFilm(api: Client, projectId: string, workId: string, out: string): Promise<string> {
  const response = await api.api.export.$post({ json: { projectId, workId } });
  if (!response.ok) throw new Error(await response.text());
  const bytes = await Bun.write(out, await response.arrayBuffer());
  return `${(bytes / 1e6).toFixed(1)} MB, warnings ${response.headers.get("x-export-warnings")}`;
}
