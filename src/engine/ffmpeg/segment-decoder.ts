import { once } from "../../platform/once.ts";
import { bundled, type Ffmpeg, findFfmpeg } from "./ffmpeg.ts";

/**
 * Finds the ffmpeg that decodes segments of exports, when first called: the bundled one if it works on this machine,
 * else the chosen one. Both output the same pixels, but the bundled one is linked statically and starts in 4 ms; a
 * distribution's loads 200 libraries in 65 ms. It is old, so it gets only files that the service has encoded.
 */
export const segmentDecoder = (chosen: Ffmpeg, findBundled = () => findFfmpeg(bundled)) =>
  once(() => findBundled().catch(() => chosen));
