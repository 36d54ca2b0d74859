import { readFileSync } from "node:fs";
import { once } from "../../platform/async.ts";

/**
 * x264's functions for AVX-512 read memory that they did not write: about one GOP in thirty differs between a longer
 * run and a run on its own. Without them none does, and encoding takes 3 % longer. A CPU with AVX-512 has all others.
 */
const withoutAvx512 = "MMX2,SSE2,SSE2Fast,LZCNT,SSSE3,SSE4.2,AVX,FMA3,BMI2,AVX2";

/** The names of the CPU features that libx264 may use; undefined for all that it detects. */
export const encoderFeatures = once(() => (hasAvx512() ? withoutAvx512 : undefined));

function hasAvx512(): boolean {
  try {
    return readFileSync("/proc/cpuinfo", "utf8").includes(" avx512f");
  } catch {
    // not Linux
    return false;
  }
}
