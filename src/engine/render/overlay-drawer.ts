import type { DrawOverlay } from "../overlays/files.ts";
import { overlayFailure } from "../sandbox/failures.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import type { Source } from "../timeline/source.ts";
import { sourceOfOverlay } from "./sources.ts";

type DrawerOptions = {
  readonly canvas: TaskPool;
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
