import { formOf } from "../support/uploads.ts";
import { type Clip, type Overlays, Timeline, type TrackItem } from "./timeline.ts";

type Send = (path: string, init?: RequestInit) => Response | Promise<Response>;
type Json = Record<string, unknown>;

type Scene = Json & {
  scene_index: number;
  duration_seconds: number;
  image_prompt: string;
  video_prompt: string;
};

type GeneratedScene = { sceneIndex: number; status: string; imageUrl?: string; remoteImageUrl?: string };

/** What a person types and chooses before the scenario. */
type Brief = {
  productName: string;
  videoDuration: number | undefined;
  sceneCount: number | undefined;
  hasReferenceVideo: boolean;
  resolution: { width: number; height: number };
};

/** All providers are local ones. Editors send the model and an empty key with every request. */
const providerHeaders = (category: string, model: string) => ({
  [`x-${category}-provider`]: "local",
  "x-model-id": model,
  "x-api-key": "",
});

/**
 * Behaves like a web editor behind a development proxy: it saves the whole work after every key, two saves at a time;
 * numbers scenes from 1 after it removed one; holds media as copies of its own; knows stored media only by their
 * addresses under the page's origin; and never refreshes its token.
 */
export class EditorClient {
  readonly #send: Send;
  readonly #origin: string;
  #token = "";
  readonly #saves = new Set<Promise<void>>();

  projectId = "";
  workId = "";
  brief: Brief = {
    productName: "",
    videoDuration: undefined,
    sceneCount: undefined,
    hasReferenceVideo: false,
    resolution: { width: 180, height: 320 },
  };
  scenes: Scene[] = [];
  generated: GeneratedScene[] = [];
  timeline = new Timeline();

  /** `origin` is that of the editor's page, which the service does not know. */
  constructor(send: Send, origin: string) {
    this.#send = send;
    this.#origin = origin;
  }

  // requests

  async json(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await this.request(path, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response.json();
  }

  /** Throws the error's sentence, as an editor shows it. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token) headers.set("authorization", `Bearer ${this.#token}`);
    const response = await this.#send(path, { ...init, headers });
    if (!response.ok) throw new Error(`${init.method ?? "GET"} ${path}: ${await response.text()}`);
    return response;
  }

  get #work() {
    return `/api/projects/${this.projectId}/works/${this.workId}`;
  }

  // sign-up and setup

  async signUp(email: string): Promise<void> {
    const account = { email, password: "a good long password", name: "Ann" };
    this.#token = (await this.json("POST", "/api/auth/register", account)).accessToken;
  }

  async createProject(name: string, fields: Json = {}): Promise<void> {
    this.projectId = (await this.json("POST", "/api/projects", { name, ...fields })).id;
  }

  async createWork(name: string): Promise<void> {
    const { resolution } = this.brief;
    this.workId = (await this.json("POST", `/api/projects/${this.projectId}/works`, { name, resolution })).id;
    await this.load();
  }

  async uploadAsset(file: File, description: string): Promise<{ id: string; width: number; height: number }> {
    const body = formOf({ file, name: file.name, tags: "[]", description });
    return (await this.request(`/api/projects/${this.projectId}/assets`, { method: "POST", body })).json();
  }

  // saving

  /** Enters a text: every key is a save of the whole work. */
  async type(field: "productName", text: string): Promise<void> {
    for (const end of text.split("").keys()) await this.change({ [field]: text.slice(0, end + 1) });
  }

  async change(brief: Partial<Brief>): Promise<void> {
    Object.assign(this.brief, brief);
    await this.#startSave();
  }

  /** Resolves when the last save has ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#saves);
    await this.#startSave();
    await Promise.all(this.#saves);
  }

  /** Does not wait for the save itself, but for one of the two that may run. */
  async #startSave(): Promise<void> {
    if (this.#saves.size >= 2) await Promise.race(this.#saves);
    const save: Promise<void> = this.#save().finally(() => this.#saves.delete(save));
    this.#saves.add(save);
  }

  /** Reads the work for its name and creation time, and writes everything that the editor holds. */
  async #save(): Promise<void> {
    const held = { ...this.brief, scenes: this.scenes, generatedScenes: this.generated.map(savedScene) };
    const editorState = this.timeline.saved();
    const { name, createdAt } = await this.json("GET", this.#work);
    const ids = { id: this.workId, projectId: this.projectId };
    const times = { createdAt, updatedAt: Date.now() };
    await this.json("PUT", this.#work, { ...ids, name, ...times, ...held, analysis: null, editorState });
  }

  /** Opens the work as after a reload of the page: everything that was not saved is gone. */
  async load(): Promise<void> {
    const work = await this.json("GET", this.#work);
    const { productName, videoDuration, sceneCount, hasReferenceVideo, resolution } = work;
    this.brief = { productName, videoDuration, sceneCount, hasReferenceVideo, resolution };
    this.scenes = work.scenes.map((scene: Scene, place: number) => ({ ...scene, scene_index: place }));
    const states: GeneratedScene[] = work.generatedScenes;
    this.generated = states.map(({ status }, place) => ({
      sceneIndex: place,
      status,
      ...(status !== "pending" && { imageUrl: this.#sceneMedia(place, "image") }),
    }));
    this.timeline = Timeline.load(work.editorState);
  }

  // scenes

  async writeScenario(): Promise<void> {
    const { scenes } = await this.json("POST", `${this.#work}/scenario`, undefined, providerHeaders("llm", "rules"));
    this.scenes = scenes;
    this.#resetGenerated();
    await this.#startSave();
  }

  /** Editors number the scenes that are left from 1. */
  async removeScene(place: number): Promise<void> {
    this.scenes = this.scenes.filter((_, at) => at !== place).map((scene, at) => ({ ...scene, scene_index: at + 1 }));
    this.#resetGenerated();
    await this.#startSave();
  }

  #resetGenerated(): void {
    this.generated = this.scenes.map(({ scene_index }) => ({ sceneIndex: scene_index, status: "pending" }));
  }

  #sceneMedia(place: number, file: "image" | "video"): string {
    return `${this.#work}/media/scene/${place}/${file}`;
  }

  /** Draws the image of a scene, stores it in the work and keeps its address. */
  async drawScene(place: number): Promise<void> {
    const { image_prompt: prompt, negative_prompt } = this.scenes[place]!;
    const request = { prompt, negative_prompt, resolution: this.brief.resolution };
    const headers = providerHeaders("image", "storyboard");
    const { imageUrl } = await this.json("POST", "/api/generate/image", request, headers);
    await this.#store(imageUrl, place, "image");
    await this.#setScene(place, { status: "image_ready", remoteImageUrl: imageUrl });
  }

  /** After a reload the image is known by its address under the page's origin only. */
  async animateScene(place: number): Promise<void> {
    const { video_prompt: prompt, duration_seconds: duration } = this.scenes[place]!;
    const { remoteImageUrl, imageUrl } = this.generated[place]!;
    const image_url = remoteImageUrl ?? `${this.#origin}${imageUrl}`;
    const request = { image_url, prompt, duration, resolution: this.brief.resolution };
    const { videoUrl } = await this.json("POST", "/api/generate/video", request, providerHeaders("video", "camera"));
    await this.#store(videoUrl, place, "video");
    await this.#setScene(place, { status: "done" });
  }

  /** Copies a generated file into the work. The page fetches it without a credential. */
  async #store(url: string, place: number, file: "image" | "video"): Promise<void> {
    const bytes = await (await this.#send(url)).blob();
    const body = formOf({ file: new File([bytes], `scene_${place}_${file}`) });
    await this.request(this.#sceneMedia(place, file), { method: "POST", body });
    await this.request(this.#sceneMedia(place, file));
  }

  async #setScene(place: number, change: Partial<GeneratedScene>): Promise<void> {
    this.generated = this.generated.map((scene, at) => (at === place ? { ...scene, ...change } : scene));
    await this.#startSave();
  }

  /** Puts all finished scenes on the timeline, one after the other, with the editor's own scene numbers. */
  placeScenes(): void {
    const durationOf = (index: number) =>
      this.scenes.find(({ scene_index }) => scene_index === index)?.duration_seconds ?? 5;
    const done = this.generated.filter(({ status }) => status === "done");
    this.timeline.placeClips(done.map(({ sceneIndex }) => ({ sceneIndex, seconds: durationOf(sceneIndex) })));
  }

  // templates and export

  async saveTemplate(name: string): Promise<string> {
    const content = this.timeline.toTemplate();
    return (await this.json("POST", `/api/projects/${this.projectId}/templates`, { name, content })).id;
  }

  async applyTemplate(templateId: string): Promise<void> {
    const path = `/api/projects/${this.projectId}/templates/${templateId}/apply`;
    const request = { templateId, videoDuration: this.timeline.seconds, placeholderValues: {} };
    this.timeline.merge((await this.json("POST", path, request)) as Applied);
  }

  /** The export dialog sends everything that is on the timeline. */
  async export(fps = 30): Promise<Response> {
    const { resolution } = this.brief;
    const request = this.timeline.exportRequest({ ...resolution, fps });
    return this.request("/api/export", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ projectId: this.projectId, workId: this.workId, ...request }),
    });
  }
}

/** The answer of a template's application. */
export type Applied = Overlays & {
  readonly textTrackActions: readonly TrackItem[];
  readonly imageTrackActions: readonly TrackItem[];
};

/** Addresses are not saved: they name copies in the memory of the page. */
const savedScene = ({ sceneIndex, status }: GeneratedScene) => ({ sceneIndex, status });

export type { Clip };
