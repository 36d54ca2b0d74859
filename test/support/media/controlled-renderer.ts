import { rm } from "node:fs/promises";
import type { RenderedVideos, Renderer } from "../../../src/engine/ports.ts";
import type { Services } from "../../../src/services.ts";

export type Rendering = Parameters<Renderer["render"]>[1] & { finish(): Promise<void>; fail(error: unknown): void };

/** A renderer whose renders end when the test calls `finish`, with a file of ten bytes, or `fail`. */
export function controlledRenderer() {
  let onRender: (rendering: Rendering) => void = () => {};
  const renderer = ({ files, renderer: { plan, engine } }: Pick<Services, "files" | "renderer">): Renderer => ({
    plan,
    engine,
    renderTasks: async () => {},
    render(timelines, options) {
      const { promise, resolve, reject } = Promise.withResolvers<RenderedVideos>();
      options.signal.addEventListener("abort", () => reject(options.signal.reason), { once: true });
      const finish = async () => {
        const folder = await files.jobFolder();
        const videos = timelines.map((_, index) => ({ path: `${folder}/${index}.mp4`, sizeBytes: 10 }));
        for (const { path } of videos) await Bun.write(path, "0123456789");
        resolve({ videos, dispose: () => rm(folder, { recursive: true }) });
      };
      onRender({ ...options, finish, fail: reject });
      return promise;
    },
  });
  /** The next render that begins. */
  const next = () =>
    new Promise<Rendering>((resolve) => {
      onRender = resolve;
    });
  /** Lets later renders begin unobserved. */
  const reset = () => {
    onRender = () => {};
  };
  return { renderer, next, reset };
}
