import { rm } from "node:fs/promises";
import { timelineHash } from "../../../src/domain/provenance/inputs.ts";
import type { FocusFinder, Renderer } from "../../../src/engine/ports.ts";
import type { FocusTrack } from "../../../src/engine/timeline/focus.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import type { Services } from "../../../src/services.ts";

const inTheMiddle: FocusTrack = [{ startSeconds: 0, reason: "center", points: [{ atSeconds: 0, x: 0.5, y: 0.5 }] }];

/** In place of what renders and measures, for tests of what surrounds an export: a video is a text about its timeline. */
export const exportsOf =
  (textOf: (timeline: Timeline) => string) =>
  ({ files, renderer: { engine } }: Pick<Services, "files" | "renderer">) => {
    const renderer: Renderer = {
      engine,
      plan: async () => ({ segments: [] }),
      renderTasks: async () => {},
      async render(timelines, { signal }) {
        signal.throwIfAborted();
        const folder = await files.jobFolder();
        const videos = timelines.map((timeline, index) => ({
          path: `${folder}/${index}.mp4`,
          text: textOf(timeline),
        }));
        for (const { path, text } of videos) await Bun.write(path, text);
        return {
          videos: videos.map(({ path, text }) => ({ path, sizeBytes: text.length })),
          dispose: () => rm(folder, { recursive: true }),
        };
      },
    };
    const focusFinder: FocusFinder = { find: async () => inTheMiddle, findSoon: async () => inTheMiddle };
    return { renderer, focusFinder };
  };

export const instantExports = exportsOf((timeline) => `A video of ${timelineHash(timeline)}\n`);
