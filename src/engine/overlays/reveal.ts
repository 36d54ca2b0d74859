import { Path2D, type SKRSContext2D } from "@napi-rs/canvas";
import { type Box, grow } from "../drawing/box.ts";
import type { Reveal } from "../motion/move-table.ts";

/** Keeps the revealed part of what is drawn in a box; the edge is antialiased. */
export function keepRevealed(context: SKRSContext2D, box: Box, { direction, share, inverse }: Reveal): void {
  const path = revealed(box, direction, Math.min(1, Math.max(0, share)));
  context.save();
  context.globalCompositeOperation = inverse ? "destination-out" : "destination-in";
  context.fill(path);
  context.restore();
}

/** The box of a unit's revealed part. Forms that are no boxes reveal from the left. */
export function revealedBox({ x, y, width, height }: Box, { direction, share: given, inverse }: Reveal): Box {
  const share = Math.min(1, Math.max(0, given));
  const [from, to] = inverse ? [share, 1] : [0, share];
  const across = { x: x + from * width, y, width: (to - from) * width, height };
  const down = { x, y: y + from * height, width, height: (to - from) * height };
  const parts: Partial<Record<Reveal["direction"], Box>> = {
    left: { ...across, x: x + (1 - to) * width },
    down,
    up: { ...down, y: y + (1 - to) * height },
  };
  return parts[direction] ?? across;
}

function revealed(box: Box, direction: Reveal["direction"], share: number): Path2D {
  const path = new Path2D();
  const { x, y, width, height } = box;
  const center = { x: x + width / 2, y: y + height / 2 };
  const radius = Math.hypot(width, height) / 2;
  if (direction === "circle") {
    path.arc(center.x, center.y, radius * share, 0, 2 * Math.PI);
  } else if (direction === "clock") {
    path.moveTo(center.x, center.y);
    path.arc(center.x, center.y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
    path.closePath();
  } else if (direction === "diagonal") {
    // an edge at 45 degrees from the top left corner
    const along = (width + height) * share;
    path.moveTo(x - height, y - height);
    path.lineTo(x + along + height, y - height);
    path.lineTo(x + along - height - height, y + height + height);
    path.lineTo(x - height - height, y + height + height);
    path.closePath();
  } else {
    const part = revealedBox(box, { direction, share, inverse: false });
    const across = direction === "left" || direction === "right";
    // the other axis stays whole, also for what is drawn beyond the box
    const whole = grow(part, 2);
    const shown = across ? { ...part, y: whole.y, height: whole.height } : { ...part, x: whole.x, width: whole.width };
    path.rect(shown.x, shown.y, shown.width, shown.height);
  }
  return path;
}
