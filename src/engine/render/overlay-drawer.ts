import type { OverlayDrawer } from "../overlays/files.ts";
import { overlayFailure, unreadableImage } from "../sandbox/failures.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";
import type { DrawnState, Overlay } from "../timeline/overlay.ts";
import { sourcesOfLayer } from "../timeline/overlay-sources.ts";
import type { Source } from "../timeline/source.ts";

type DrawerOptions = {
  readonly canvas: TaskPool;
  /** User id. */
  readonly owner: string;
  pathOf(source: Source): string;
};

/** Draws in a separate process. Throws font_unusable, source_unreadable, or validation_error for a text or a layer. */
export function overlayDrawer({ canvas, owner, pathOf }: DrawerOptions): OverlayDrawer {
  /** Says which file is at fault. Only whole files are linked. */
  const failure = async (
    content: Overlay["content"] | DrawnState["content"],
    sources: readonly Source[],
    error: unknown,
  ) => {
    const images = sources.filter(({ facts }) => facts.kind === "image");
    const isThere = await Promise.all(images.map((source) => Bun.file(pathOf(source)).exists()));
    return isThere.includes(false) ? unreadableImage(error, { isDamaged: true }) : overlayFailure(content)(error);
  };

  return {
    pathOf,

    async overlay(overlay, { signal, ...bitmaps }) {
      const { content } = overlay;
      const sources = sourcesOfLayer(overlay);
      const [source] = sources;
      const input = { ...bitmaps, overlay, source: source && pathOf(source) };
      const options = { owner, signal, bitmaps: bitmaps.numbers.length };
      const draw = async () => (await canvas.run("drawOverlay", input, options)) ?? undefined;
      return await draw().catch(async (error) => {
        throw await failure(content, sources, error);
      });
    },

    async states(states, { signal, footage, ...to }) {
      const shown = states.filter((state) => state !== undefined);
      const sources = [...new Map(shown.flatMap(sourcesOfLayer).map((source) => [source.file, source])).values()];
      const paths = Object.fromEntries([
        ...sources.filter(({ facts }) => facts.kind !== "video").map((source) => [source.file, pathOf(source)]),
        ...footage.map(({ key, path }) => [key, path]),
      ]);
      const frames = footage.map(({ path: _, ...described }) => described);
      const input = { ...to, states: states.map((state) => state ?? null), paths, footage: frames };
      const draw = async () =>
        (await canvas.run("drawStates", input, { owner, signal, bitmaps: states.length })) ?? undefined;
      return await draw().catch(async (error) => {
        // safe because only visible states are drawn
        throw await failure(shown[0]!.content, sources, error);
      });
    },
  };
}
