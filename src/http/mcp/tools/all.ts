import type { Tool } from "../calls/tool.ts";
import { aiTools } from "./ai.ts";
import { assetTools } from "./assets.ts";
import { batchTools } from "./batches.ts";
import { exportTools } from "./exports.ts";
import { filmTools } from "./films.ts";
import { projectTools } from "./projects.ts";
import { templateTools } from "./templates.ts";
import { workTools } from "./works.ts";

/** In the order that hosts show; they keep the list, so that it must not change without a reason. */
export const allTools: readonly Tool[] = [
  ...projectTools,
  ...workTools,
  ...aiTools,
  ...assetTools,
  ...templateTools,
  ...exportTools,
  ...filmTools,
  ...batchTools,
];
