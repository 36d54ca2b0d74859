import type { Edge } from "./commands.ts";
import type { Item } from "./items.ts";
import { snapEdge, snapMove } from "./snap.ts";

/** A bar as it is shown. */
type Shown = { readonly item: Item; readonly element: HTMLElement };

export type Drag = {
  /** Moves what is dragged to a pointer's position. Without `snaps`, to whole frames. */
  move(x: number, snaps: boolean): void;
  /** Puts everything back, and returns where it was dragged; undefined if it stayed. */
  end(): { readonly by: number } | { readonly to: number } | undefined;
};

type DragOf = {
  /** The bars that move; of a trim the only one. */
  readonly shown: readonly Shown[];
  readonly edge: Edge | undefined;
  readonly x: number;
  readonly scale: number;
  readonly fps: number;
  /** Times that edges meet. */
  readonly times: readonly number[];
  /** Shows the time that an edge has met. */
  readonly onMeet: (at: number | undefined) => void;
};

const startPixels = 3;
const snapPixels = 7;
const leastSeconds = 0.2;

/**
 * Drags bars without the rest of the page: only their own styles change until they are let go, at most once a frame.
 */
export function beginDrag({ shown, edge, x: from, scale, fps, times, onMeet }: DragOf): Drag {
  let result: ReturnType<Drag["end"]>;
  let request = 0;
  let latest = { x: from, snaps: true };
  const grip = { start: Math.min(...shown.map(({ item }) => item.start)), end: shown[0]?.item.end ?? 0 };
  const first = shown[0];
  const { left = "", width = "" } = first?.element.style ?? {};
  const draw = () => {
    request = 0;
    const by = (latest.x - from) / scale;
    if (result === undefined && Math.abs(latest.x - from) < startPixels) return;
    const rule = { times: latest.snaps ? times : [], within: snapPixels / scale, fps };
    if (edge && first) {
      const { item, element } = first;
      const { to: wished, at } = snapEdge(item[edge] + by, rule);
      const to =
        edge === "start"
          ? Math.min(Math.max(0, wished), item.end - leastSeconds)
          : Math.max(wished, item.start + leastSeconds);
      result = { to };
      const start = edge === "start" ? to : item.start;
      const end = edge === "end" ? to : item.end;
      element.style.left = `${start * scale}px`;
      element.style.width = `${(end - start) * scale}px`;
      return onMeet(at);
    }
    const moved = snapMove(grip, by, rule);
    const shift = Math.max(moved.by, -grip.start);
    result = { by: shift };
    for (const { element } of shown) element.style.transform = `translateX(${shift * scale}px)`;
    onMeet(moved.at);
  };
  for (const { element } of shown) element.dataset.dragged = "";
  return {
    move(x, snaps) {
      latest = { x, snaps };
      request ||= requestAnimationFrame(draw);
    },
    end() {
      cancelAnimationFrame(request);
      if (request) draw();
      onMeet(undefined);
      for (const { element } of shown) {
        element.style.transform = "";
        delete element.dataset.dragged;
      }
      if (edge && first) Object.assign(first.element.style, { left, width });
      return result;
    },
  };
}
