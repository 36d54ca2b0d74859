import { compileHalfSize, halfSizeFacts } from "../compiler/decode/half-size.ts";
import { encoderFeatures } from "../ffmpeg/encoder-features.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { MediaFacts, Source } from "../timeline/source.ts";
import type { ProxyKind } from "./kind.ts";

/** The minimum length of the shorter side: smaller videos decode fast enough. */
const minLines = 720;

/** A minute of HD, or as much work. A film shows too little of a longer video. */
const maxWork = 60 * 1920 * 1080;

const limits = { niceness: 19, cpuSeconds: 300, fileBytes: 2 ** 28 };

/** Proxies for frames at half their size and for drafts: decoding takes a tenth of the time. */
export const halfSizeProxies = (ffmpeg: Pick<Ffmpeg, "run">): ProxyKind => ({
  isFor: isWorthHalving,
  describe: ({ facts }) => compileHalfSize("source", facts, "copy", { cpuFeatures: encoderFeatures() }),
  build: async ({ source: { facts }, path, folder, output, signal }) => {
    const command = compileHalfSize(path, facts, output, { cpuFeatures: encoderFeatures() });
    await ffmpeg.run(command, { folder, signal, limits });
  },
});

function isWorthHalving({ kind, width = 0, height = 0, durationSeconds = Infinity, picture }: MediaFacts): boolean {
  if (kind !== "video" || !picture) return false;
  // half of an odd side would show a slightly different part of the picture
  const isEven = width % 2 === 0 && height % 2 === 0;
  const isLarge = Math.min(width, height) >= minLines;
  return !picture.hasAlpha && isEven && isLarge && width * height * durationSeconds <= maxWork;
}

export const halfSizeOf = (source: Source): Source => ({
  file: `${source.file} at half its size`,
  hash: `${source.hash} at half its size`,
  facts: halfSizeFacts(source.facts),
});
