import { describeOverlayBoxes } from "./overlay-boxes.ts";

await describeOverlayBoxes([{ centerX: -13, centerY: -170 }]);
