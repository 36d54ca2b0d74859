import { parseResponse } from "hono/client";
import type { Client } from "../src/client.ts";
import { type TitleLook, titleOf } from "./demo-titles.ts";

/** A film from a product's name and its colors, made by the service's own rules: no key, no other machine. */

export type Product = { readonly name: string; readonly description: string; readonly palette: readonly string[] };

export const sunrise: Product = {
  name: "Sunrise Coffee",
  description: "Roasted this morning. In your cup tomorrow.",
  palette: ["#ff6b35", "#fff8f0", "#1b1b3a"],
};

/** The product that the options of the command line tell; what is said of one is not said of another. */
export function productOf(options: { product: string; description?: string | undefined; palette: string }): Product {
  const described = options.product === sunrise.name ? sunrise.description : "";
  // a color may hold commas of its own: rgb(1, 2, 3)
  const palette = options.palette.split(/,(?![^(]*\))/).map((color) => color.trim());
  return { name: options.product, description: options.description ?? described, palette };
}

/** What the film is to be like. */
export type Form = {
  readonly resolution: { readonly width: number; readonly height: number };
  readonly videoDuration: number;
  readonly sceneCount: number;
};

export const upright: Form = { resolution: { width: 1080, height: 1920 }, videoDuration: 20, sceneCount: 5 };

export async function createProject(api: Client, { name, palette }: Product): Promise<string> {
  const styleGuide = { tone: "warm, confident", tempo: "medium", color_palette: [...palette] };
  return (await parseResponse(api.api.projects.$post({ json: { name: `${name} launch`.slice(0, 200), styleGuide } })))
    .id;
}

export async function createWork(api: Client, projectId: string, product: Product, form: Form): Promise<string> {
  const { name, description } = product;
  const json = {
    name: `${name} – first film`.slice(0, 200),
    productName: name,
    productDescription: description,
    ...form,
  };
  return (await parseResponse(api.api.projects[":projectId"].works.$post({ param: { projectId }, json }))).id;
}

type Path = { readonly projectId: string; readonly workId: string };

export async function writeScenario(api: Client, param: Path) {
  const { scenario } = api.api.projects[":projectId"].works[":workId"];
  const { scenes } = await parseResponse(scenario.$post({ param, header: { "x-llm-provider": "local" } }));
  return scenes;
}

export type Scene = Awaited<ReturnType<typeof writeScenario>>[number];

/** The picture of a scene and the video of it. */
export async function generateScene(api: Client, path: Path, sceneIndex: number): Promise<void> {
  const { scene } = api.api.projects[":projectId"].works[":workId"].generate;
  const header = { "x-image-provider": "local", "x-video-provider": "local" };
  await parseResponse(scene[":sceneIndex"].$post({ param: { ...path, sceneIndex: `${sceneIndex}` }, header }));
}

/** One clip a scene with the scenario's transitions, its words over it. */
export async function saveCut(api: Client, param: Path, scenes: readonly Scene[], look: TitleLook) {
  const work = api.api.projects[":projectId"].works[":workId"];
  const { editorState } = await parseResponse(work.$get({ param }));
  return parseResponse(work.$put({ param, json: { editorState: { ...editorState, ...cutOf(scenes, look) } } }));
}

function cutOf(scenes: readonly Scene[], look: TitleLook) {
  const spans = spansOf(scenes);
  const videoTrack = scenes.map((scene, index) => ({
    ...{ id: `clip-${index}`, sceneIndex: scene.scene_index, ...spans[index]! },
    ...{ transitionType: scene.transition, transitionDuration: scene.transition === "cut" ? 0 : 0.5 },
  }));
  const titles = scenes.flatMap(({ text_overlay }, index) => {
    const place = index === 0 ? "first" : index === scenes.length - 1 ? "last" : "middle";
    if (!text_overlay) return [];
    return [
      { id: `title-${index}`, span: readingTime(spans[index]!, place), title: titleOf(text_overlay, place, look) },
    ];
  });
  const textTrack = titles.map(({ id, span }) => ({ id, ...span }));
  const textOverlays = Object.fromEntries(titles.map(({ id, title }) => [id, title]));
  return { editorData: { videoTrack, textTrack }, textOverlays };
}

type Span = { readonly start: number; readonly end: number };

function spansOf(scenes: readonly Scene[]): readonly Span[] {
  let end = 0;
  return scenes.map(({ duration_seconds }) => {
    const start = end;
    end = Math.round((start + duration_seconds) * 1000) / 1000;
    return { start, end };
  });
}

/** After the picture has been seen, and gone before the next one comes. */
const readingTime = ({ start, end }: Span, place: "first" | "middle" | "last"): Span => ({
  start: start + 0.4,
  end: place === "last" ? end : end - 0.1,
});
