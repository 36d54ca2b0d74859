import type { Source } from "../../timeline/source.ts";
import { overlayFailure } from "../canvas/failures.ts";
import type { CanvasProcesses } from "../canvas/processes.ts";
import type { DrawOverlay } from "../overlays/files.ts";
import { sourceOfOverlay } from "./sources.ts";

type DrawerOptions = {
  readonly canvas: CanvasProcesses;
  /** User id. */
  readonly owner: string;
  pathOf(source: Source): string;
};

/** Draws in a process of its own. Throws font_unusable, source_unreadable, or validation_error for a text. */
export const overlayDrawer =
  ({ canvas, owner, pathOf }: DrawerOptions): DrawOverlay =>
  async (overlay, { signal, ...bitmaps }) => {
    const { content } = overlay;
    const source = sourceOfOverlay(content);
    const input = { ...bitmaps, overlay, source: source && pathOf(source) };
    const options = { owner, signal, bitmaps: bitmaps.numbers.length };
    return (await canvas.run("drawOverlay", input, options).catch(overlayFailure(content))) ?? undefined;
  };
