import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { partName, wordsIn } from "../strip/items.ts";
import { t } from "../words.ts";
import { type Bench, draftOfBench, playhead } from "./bench.ts";
import { posed, putKeyed } from "./keyframes.ts";
import { overlaysOf, type Placed, putOverlay, removeOverlay } from "./overlays.ts";
import { type Box, boxOf, type Measure, type Point, placeAt, safeZoneOf, sizeBy, snap } from "./places.ts";

let context: CanvasRenderingContext2D | null | undefined;

export const measure: Measure = (line, { size, weight }) => {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return line.length * size * 0.55;
  context.font = `${weight} ${size}px Inter`;
  return context.measureText(line).width;
};

/** The name of an overlay for people. */
export function nameOf(placed: Placed): string {
  const { kind, id } = placed;
  const words = wordsIn(placed);
  if (words || kind === "text") return words || t("workEmptyText");
  return kind === "image" ? t("workImage") : `${t("stripLayer")} ${partName(id)}`;
}

type Drag = {
  readonly name: string;
  readonly box: Box;
  readonly overlay: Placed["overlay"];
  readonly from: Point;
  readonly center: Point;
  readonly kind: "move" | "size" | "width";
};

const snapPixels = 8;
/** Makes each drag a separate step of undo. */
let drags = 0;

/** Boxes of the overlays at the playhead, which can be dragged, resized and moved by keys. */
export function TextBoxes({ bench }: { bench: Bench }) {
  const { session, overlay: chosen } = bench;
  const drag = useRef<Drag | undefined>(undefined);
  const lines = useSignal<{ readonly x: number | undefined; readonly y: number | undefined } | undefined>(undefined);
  const draft = draftOfBench(bench);
  const frame = draft.editor.exportSettings;
  const now = playhead(bench);
  const percent = (pixels: number, whole: number) => `${(100 * pixels) / whole}%`;
  const zone = safeZoneOf(frame);

  const begin = (event: PointerEvent, placed: Placed, kind: Drag["kind"]) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    const element = event.currentTarget as HTMLElement;
    element.setPointerCapture(event.pointerId);
    const { left, top, width, height } = element.closest(".boxes")!.getBoundingClientRect(); // safe: boxes lie in it
    const box = boxOf(placed.kind, posed(placed, now), frame, measure);
    const scale = width / frame.width;
    const center = { x: left + width / 2 + box.x * scale, y: top + height / 2 + box.y * scale };
    drags += 1;
    chosen.value = placed;
    drag.current = { name: `${kind} ${placed.id} ${drags}`, box, overlay: placed.overlay, from: event, center, kind };
  };
  const follow = (event: PointerEvent, placed: Placed) => {
    const { current } = drag;
    if (!current) return;
    const { box, from, center, kind, overlay, name } = current;
    const area = (event.currentTarget as HTMLElement).closest(".boxes")!.getBoundingClientRect(); // safe as above
    const scale = area.width / frame.width;
    if (kind === "move") {
      const moved = {
        ...box,
        x: box.x + (event.clientX - from.x) / scale,
        y: box.y + (event.clientY - from.y) / scale,
      };
      const snapped = event.altKey ? { box: moved, lines: undefined } : snap(moved, frame, snapPixels / scale);
      lines.value = snapped.lines;
      const place = placeAt(placed.kind, overlay, snapped.box, frame);
      session.change((before) => putKeyed(before, placed, place, now), name);
      return;
    }
    if (kind === "width") {
      const maxWidth = Math.max(40, Math.round((2 * Math.abs(event.clientX - center.x)) / scale));
      session.change((before) => putOverlay(before, placed, { maxWidth }), name);
      return;
    }
    const distance = (point: Point) => Math.hypot(point.x - center.x, point.y - center.y);
    const factor = Math.max(0.1, distance({ x: event.clientX, y: event.clientY }) / Math.max(1, distance(from)));
    const sized = sizeBy(placed.kind, overlay, factor);
    session.change((before) => putOverlay(before, placed, sized), name);
  };
  const end = () => {
    drag.current = undefined;
    lines.value = undefined;
  };
  const onKey = (event: KeyboardEvent, placed: Placed) => {
    const by = event.shiftKey ? 1 : 10;
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-by, 0],
      ArrowRight: [by, 0],
      ArrowUp: [0, -by],
      ArrowDown: [0, by],
    };
    const step = steps[event.key];
    const factor = { "+": 1.05, "=": 1.05, "-": 1 / 1.05 }[event.key];
    if (event.ctrlKey || event.metaKey || !(step || factor || event.key === "Delete")) return;
    event.preventDefault();
    if (event.key === "Delete") return session.change((before) => removeOverlay(before, placed));
    const box = boxOf(placed.kind, posed(placed, now), frame, measure);
    const changes = step
      ? placeAt(placed.kind, placed.overlay, { ...box, x: box.x + step[0], y: box.y + step[1] }, frame)
      : sizeBy(placed.kind, placed.overlay, factor ?? 1);
    session.change((before) => putKeyed(before, placed, changes, now), `keys ${placed.id}`);
  };

  return (
    <div class="boxes" data-dragging={lines.value ? "" : undefined}>
      <span
        class="safe-zone"
        aria-hidden="true"
        style={{
          left: percent(zone.left + frame.width / 2, frame.width),
          top: percent(zone.top + frame.height / 2, frame.height),
          width: percent(zone.right - zone.left, frame.width),
          height: percent(zone.bottom - zone.top, frame.height),
        }}
      />
      {lines.value?.x !== undefined && (
        <span class="guide" data-axis="x" style={{ left: percent(lines.value.x + frame.width / 2, frame.width) }} />
      )}
      {lines.value?.y !== undefined && (
        <span class="guide" data-axis="y" style={{ top: percent(lines.value.y + frame.height / 2, frame.height) }} />
      )}
      {overlaysOf(draft)
        .filter(({ start, end: ends }) => start <= now + 0.001 && ends > now + 0.001)
        .map((placed) => {
          const overlay = posed(placed, now);
          return { placed, overlay, box: boxOf(placed.kind, overlay, frame, measure) };
        })
        // a picture as large as the frame leaves smaller things within reach
        .toSorted(({ box: one }, { box: other }) => other.width * other.height - one.width * one.height)
        .map(({ placed, overlay, box }) => {
          const { kind, id } = placed;
          const isChosen = chosen.value?.id === id && chosen.value.kind === kind;
          const rotation = typeof overlay.rotation === "number" ? overlay.rotation : 0;
          const scale = typeof overlay.scale === "number" ? overlay.scale : 1;
          return (
            <div
              key={`${kind} ${id}`}
              class="box"
              data-chosen={isChosen ? "" : undefined}
              style={{
                left: percent(box.x - box.width / 2 + frame.width / 2, frame.width),
                top: percent(box.y - box.height / 2 + frame.height / 2, frame.height),
                width: percent(box.width, frame.width),
                height: percent(box.height, frame.height),
                transform: `rotate(${rotation}deg) scale(${scale})`,
              }}
            >
              <button
                type="button"
                aria-pressed={isChosen}
                aria-label={nameOf(placed)}
                onPointerDown={(event) => begin(event, placed, "move")}
                onPointerMove={(event) => follow(event, placed)}
                onPointerUp={end}
                onPointerCancel={end}
                onFocus={() => {
                  chosen.value = placed;
                }}
                onClick={() => {
                  chosen.value = placed;
                }}
                onKeyDown={(event) => onKey(event, placed)}
              />
              {isChosen &&
                (kind === "text" ? (["size", "width"] as const) : (["size"] as const)).map((handle) => (
                  <span
                    key={handle}
                    class="handle"
                    data-handle={handle}
                    aria-hidden="true"
                    onPointerDown={(event) => begin(event, placed, handle)}
                    onPointerMove={(event) => follow(event, placed)}
                    onPointerUp={end}
                    onPointerCancel={end}
                  />
                ))}
            </div>
          );
        })}
    </div>
  );
}
