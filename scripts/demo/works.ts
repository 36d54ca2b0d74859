import { parseResponse } from "hono/client";
import type { Client } from "../../src/client.ts";
import { captionsOf, type TimeRange } from "./captions.ts";
import { buttonLook, endCardArea, type Size } from "./end-card.ts";
import { inkAgainst, inkOn } from "./inks.ts";
import type { Product } from "./product.ts";

/** The video of a product, one API call per function. The local provider generates it: no API key, no network. */

export type VideoFormat = { readonly resolution: Size; readonly videoDuration: number; readonly sceneCount: number };

export const portrait: VideoFormat = { resolution: { width: 1080, height: 1920 }, videoDuration: 20, sceneCount: 5 };

/** The same film at another size; the height of 9:16 must be even too. */
export const portraitOf = (width: number): VideoFormat => ({
  ...portrait,
  resolution: { width, height: 2 * Math.round((width * 8) / 9) },
});

export async function createProject(
  api: Client,
  { name, palette }: Pick<Product, "name" | "palette">,
): Promise<string> {
  const styleGuide = { tone: "warm, confident", tempo: "medium", color_palette: [...palette] };
  return (await parseResponse(api.api.projects.$post({ json: { name: `${name} launch`.slice(0, 200), styleGuide } })))
    .id;
}

export async function createWork(
  api: Client,
  projectId: string,
  product: Product,
  format: VideoFormat,
): Promise<string> {
  const { name, description } = product;
  const json = {
    name: `${name} – first video`.slice(0, 200),
    productName: name,
    productDescription: description,
    ...format,
  };
  return (await parseResponse(api.api.projects[":projectId"].works.$post({ param: { projectId }, json }))).id;
}

type WorkPath = { readonly projectId: string; readonly workId: string };

export async function writeScenario(api: Client, param: WorkPath) {
  const { scenario } = api.api.projects[":projectId"].works[":workId"];
  const { scenes } = await parseResponse(scenario.$post({ param, header: { "x-llm-provider": "local" } }));
  return scenes;
}

export type Scene = Awaited<ReturnType<typeof writeScenario>>[number];

/** Generates the image and the video of a scene, and returns the image's URL. */
export async function generateScene(api: Client, path: WorkPath, sceneIndex: number): Promise<string> {
  const { scene } = api.api.projects[":projectId"].works[":workId"].generate;
  const header = { "x-image-provider": "local", "x-video-provider": "local" };
  const param = { ...path, sceneIndex: `${sceneIndex}` };
  return (await parseResponse(scene[":sceneIndex"].$post({ param, header }))).imageUrl;
}

/** A template: a small logo at the top of the video, and an end card for its last part, which starts at `endCardPercent`. */
export async function createTemplate(
  api: Client,
  projectId: string,
  assetId: string,
  { size: { width, height }, endCardPercent }: { readonly size: Size; readonly endCardPercent: number },
): Promise<string> {
  const unit = width / 1080;
  const most = { timingMode: "relative" as const, endPercent: endCardPercent };
  const last = { timingMode: "relative" as const, startPercent: endCardPercent };
  const corner = { centerX: -0.37 * width, centerY: -0.345 * height };
  const logo = (side: number) => ({ assetId, width: side * unit, height: side * unit });
  const content = {
    textOverlays: [{ ...last, id: "action", text: "{{action}}", centerY: -0.245 * height }],
    imageOverlays: [
      { ...most, ...logo(104), ...corner, id: "logo" },
      { ...last, ...logo(190), centerX: 0, centerY: -0.328 * height, id: "large logo" },
    ],
    exportSettings: { width, height, fps: 30 },
  };
  const json = { name: "Brand", content };
  return (await parseResponse(api.api.projects[":projectId"].templates.$post({ param: { projectId }, json }))).id;
}

export async function applyTemplate(api: Client, param: WorkPath, templateId: string) {
  const json = { templateId, placeholderValues: { action: "Order today" } };
  return parseResponse(api.api.projects[":projectId"].works[":workId"]["apply-template"].$post({ param, json }));
}

export type EditOptions = {
  readonly product: Product;
  readonly fontAssetId: string;
  readonly size: Size;
  /** The image of the last scene. */
  readonly lastImage: Uint8Array;
};

/** Saves one clip per scene, and restyles the text of the template. */
export async function saveEdit(api: Client, param: WorkPath, scenes: readonly Scene[], options: EditOptions) {
  const work = api.api.projects[":projectId"].works[":workId"];
  const { editorState } = await parseResponse(work.$get({ param }));
  if (!editorState) throw new Error("The template added nothing to the editor.");
  const json = {
    editorState: {
      ...editorState,
      editorData: { ...editorState.editorData, videoTrack: clipsOf(scenes) },
      textOverlays: await styleButton(editorState.textOverlays, options),
    },
  };
  return parseResponse(work.$put({ param, json }));
}

/** The captions of an export: what each scene says. */
export function sceneCaptions(scenes: readonly Scene[], { product, ...look }: Omit<EditOptions, "lastImage">) {
  const ranges = sceneRanges(scenes);
  const sentences = scenes.map(({ voice_text, text_overlay }, index) => ({
    text: voice_text ?? text_overlay ?? "",
    range: ranges[index]!,
  }));
  return captionsOf(sentences, { ...look, palette: product.palette });
}

const transitions = ["slideup", "circleopen", "wipeleft", "fade"] as const;

function clipsOf(scenes: readonly Scene[]) {
  const ranges = sceneRanges(scenes);
  return scenes.map((scene, index) => ({
    id: `clip-${index}`,
    sceneIndex: scene.scene_index,
    ...ranges[index]!,
    transitionType: transitions[index % transitions.length]!,
    transitionDuration: 0.5,
  }));
}

/** The template's only text is the button of the end card. */
async function styleButton<Overlay extends object>(overlays: Readonly<Record<string, Overlay>>, options: EditOptions) {
  const { product, lastImage, fontAssetId, size } = options;
  const background = await inkOn(lastImage, endCardArea, product.palette);
  const ink = inkAgainst(background, product.palette);
  const look = buttonLook({ fontAssetId, size, ink, background });
  return Object.fromEntries(Object.entries(overlays).map(([id, overlay]) => [id, { ...overlay, ...look }]));
}

export function sceneRanges(scenes: readonly Pick<Scene, "duration_seconds">[]): readonly TimeRange[] {
  let end = 0;
  return scenes.map(({ duration_seconds }) => {
    const start = end;
    end = Math.round((start + duration_seconds) * 1000) / 1000;
    return { start, end };
  });
}
