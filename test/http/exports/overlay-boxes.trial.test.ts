import { describeOverlayBoxes } from "./overlay-boxes.ts";

await describeOverlayBoxes([
  { centerX: 0, centerY: 0 },
  { centerX: 9, centerY: 143.5 },
]);
