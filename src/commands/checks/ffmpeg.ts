import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { textOverlay } from "../../domain/exports/request/placement/overlays.ts";
import { requiredComponents } from "../../engine/ffmpeg/components.ts";
import { bundledPath, findFfmpeg } from "../../engine/ffmpeg/ffmpeg.ts";
import { findSandbox } from "../../engine/sandbox/sandbox.ts";
import { bundledFamilies, fontFileUrl } from "../../engine/text/fonts/files.ts";
import { textMeasurer } from "../../engine/text/measurer.ts";
import { frameRateOf } from "../../engine/timeline/time.ts";
import { isDomainError } from "../../errors.ts";
import { type Check, type Finding, failure, ok, warning } from "./check.ts";

/** Repeats the check of the start: the components, and a tiny render. */
export const ffmpegCheck: Check = {
  name: "ffmpeg",
  settings: ["FFMPEG_PATH"],
  async run({ FFMPEG_PATH }) {
    const { version, path, whyBundled } = await findFfmpeg(FFMPEG_PATH);
    const count = Object.values(requiredComponents).flat().length;
    const found = ok(`${version} at ${path}, with all ${count} filters, encoders and decoders.`);
    if (FFMPEG_PATH || path !== (await bundledPath())) return [found];
    const reason = whyBundled ? `The bundled ffmpeg is used: ${whyBundled}.` : "The bundled ffmpeg dates from 2018.";
    return [found, warning(reason, "Install ffmpeg 5.1 or later, or set FFMPEG_PATH to one, or to `bundled`.")];
  },
};

const layerFixes: Readonly<Record<string, string>> = {
  files:
    "Run on Linux 5.13 or later with Landlock, or run workers on machines of their own: an exploited decoder can read everything that the service can read.",
  "system calls": "Run on Linux with seccomp, or run workers in a network without outgoing access.",
};

export const sandboxCheck: Check = {
  name: "sandbox",
  settings: [],
  async run() {
    const { inForce, missing, open } = await findSandbox();
    const layers = ok(
      `Programs that decode files run with: ${inForce.join(", ") || "no layer"}; open: ${open.join(", ")}.`,
    );
    const warnings = missing.map((layer) =>
      warning(`The layer "${layer}" is not available.`, layerFixes[layer] ?? "Run on Linux with glibc."),
    );
    return [...(warnings.length > 0 ? [] : [layers]), ...warnings];
  },
};

/** One character of each script that the bundled fonts cover. */
const sample = "Aя Ωא ب अ অ ગ ਅ ಅ അ ଅ අ அ అ ก ກ ក မ አ ა Ա 漢 あ 한 😀";

/** Throws if the package is not installed. */
function fileOf(module: string): string {
  try {
    return fileURLToPath(fontFileUrl(module));
  } catch {
    return "";
  }
}

/** Draws in the sandboxed process that exports use. */
export const fontsCheck: Check = {
  name: "fonts",
  settings: [],
  async run(): Promise<readonly Finding[]> {
    const lost = bundledFamilies.flatMap(({ files }) => files).filter(({ module }) => !existsSync(fileOf(module)));
    if (lost.length > 0) {
      return [failure(`The font ${lost[0]!.module} is not installed.`, "Install the packages again: bun install.")];
    }
    const withLocalFile = () => Promise.reject(new Error("No font of a project is measured."));
    const measurer = textMeasurer({ files: { withLocalFile } });
    const bounds = { canvas: { width: 1920, height: 1080 }, rate: frameRateOf(30), frames: 1 };
    const overlay = textOverlay({ text: sample, position: 0, end: 1 }, undefined, bounds);
    if (overlay?.content.kind !== "text") return [failure("The sample text draws nothing.")];
    const measured = await measurer.measure(overlay.content, 0, { owner: "doctor" }).catch((error) => {
      // a slow machine is no reason to stop a deployment
      if (isDomainError(error)) return undefined;
      throw error;
    });
    if (!measured) {
      return [warning("A text could not be drawn in time.", "Run this again when the machine is less busy.")];
    }
    const { missing } = measured;
    if (missing.length === 0) return [ok("The bundled fonts draw every script and emoji.")];
    return [failure(`The bundled fonts have no glyphs for ${missing.join(" ")}.`, "Install the packages again.")];
  },
};
