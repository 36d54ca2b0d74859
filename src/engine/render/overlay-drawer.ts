import type { DrawOverlay } from "../overlays/files.ts";
import { overlayFailure, unreadableImage } from "../sandbox/failures.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import type { Source } from "../timeline/source.ts";
import { sourceOfOverlay } from "./sources.ts";

type DrawerOptions = {
  readonly canvas: TaskPool;
  /** User id. */
  readonly owner: string;
  pathOf(source: Source): string;
};

/** Draws in a separate process. Throws font_unusable, source_unreadable, or validation_error for a text. */
export const overlayDrawer =
  ({ canvas, owner, pathOf }: DrawerOptions): DrawOverlay =>
  async (overlay, { signal, ...bitmaps }) => {
    const { content } = overlay;
    const source = sourceOfOverlay(content);
    const input = { ...bitmaps, overlay, source: source && pathOf(source) };
    const options = { owner, signal, bitmaps: bitmaps.numbers.length };
    const draw = async () => (await canvas.run("drawOverlay", input, options)) ?? undefined;
    return await draw().catch(async (error) => {
      // only whole files are linked
      const isLost = content.kind === "image" && !(await Bun.file(pathOf(content.source)).exists());
      throw isLost ? unreadableImage(error, { isDamaged: true }) : overlayFailure(content)(error);
    });
  };
