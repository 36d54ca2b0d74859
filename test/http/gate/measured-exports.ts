import type { MediaFacts } from "../../../src/engine/timeline/source.ts";
import { toSeconds } from "../../../src/engine/timeline/time.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import type { Services } from "../../../src/services.ts";
import { exportsOf } from "../../support/media/instant-exports.ts";

/** As a rendered video of the timeline has them. */
const factsOf = ({ canvas: { width, height }, rate, track }: Timeline): MediaFacts => ({
  ...{ kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4", width, height, hasSound: true },
  durationSeconds: toSeconds(track.frames, rate),
  picture: { codec: "avc", frameRate: 30, hasAlpha: false, matrix: "bt709", fullRange: false, transfer: "sdr" },
});

const unrendered = "facts of a video: ";

/** Videos whose files nobody renders, and which keep all rules of what is measured: for tests of what a film says and shows. */
export const measuredExports = (services: Services): Partial<Services> => ({
  ...exportsOf((timeline) => `${unrendered}${JSON.stringify(factsOf(timeline))}`)(services),
  inspector: {
    ...services.inspector,
    async inspect(path, options) {
      const start = await Bun.file(path).slice(0, unrendered.length).text();
      if (start !== unrendered) return await services.inspector.inspect(path, options);
      return JSON.parse((await Bun.file(path).text()).slice(unrendered.length));
    },
  },
  videoMeter: {
    measure: async () => ({
      ...{ flashes: { perSecond: 0 }, redFlashes: { perSecond: 0 }, black: [], frozen: [], grounds: [] },
      loudness: { integrated: -14, truePeak: -1.5 },
    }),
  },
});
