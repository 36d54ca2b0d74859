import { parseResponse } from "hono/client";
import type { Client } from "../../src/client.ts";

/** A video from uploaded files, a template and an edit, one API call per function. */

export async function createProject(api: Client): Promise<string> {
  const styleGuide = { tone: "warm, quick", color_palette: ["#ff6b35", "#fff8f0", "#1b1b3a"], must_avoid: ["jargon"] };
  const json = { name: "Sunrise launch", projectType: "social" as const, styleGuide };
  return (await parseResponse(api.api.projects.$post({ json }))).id;
}

export async function createWork(api: Client, projectId: string): Promise<string> {
  const json = { name: "Sunrise – first video", videoDuration: 12, resolution: { width: 720, height: 1280 } };
  return (await parseResponse(api.api.projects[":projectId"].works.$post({ param: { projectId }, json }))).id;
}

const badgeBox = { width: 150, height: 150, centerX: 240, centerY: -520, rotation: 12, opacity: 0.9 };
const textLook = { maxWidth: 640, strokeColor: "#1b1b3a", strokeWidth: 6, animateIn: "pop", animateOut: "fade" };
const headline = { fontSize: 84, fontColor: "#fff8f0", centerX: 0 };

export async function createTemplate(api: Client, projectId: string, logo: string): Promise<string> {
  const content = {
    textOverlays: [
      { ...headline, id: "title", text: "{{product}}", centerY: -120, timingMode: "relative" as const, endPercent: 40 },
      { ...headline, id: "claim", text: "{{claim}}", centerY: 230, timingMode: "relative" as const, startPercent: 35 },
    ],
    imageOverlays: [{ ...badgeBox, id: "badge", assetId: logo, timingMode: "absolute" as const, startSeconds: 1 }],
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

/** Saves three clips of four seconds and restyles the texts that the template added. */
export async function saveEdit(api: Client, projectId: string, workId: string, fontAssetId: string) {
  const work = api.api.projects[":projectId"].works[":workId"];
  const param = { projectId, workId };
  const { editorState } = await parseResponse(work.$get({ param }));
  if (!editorState) throw new Error("The template added nothing to the editor.");
  const look = { ...textLook, fontAssetId };
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
