import type { ProviderRow } from "../client/rows.ts";
import { localImage, localLanguage, localVideo, localVision } from "./local.ts";

export const local: ProviderRow = {
  id: "local",
  name: "Local",
  vision: {
    models: [{ id: "measurements", name: "Measurements" }],
    create: () => localVision,
    description:
      "Local and rule-based: measures cuts, colors, tempo and movement, and describes the measurements. No model, no key, no network.",
  },
  llm: {
    models: [{ id: "rules", name: "Rules" }],
    create: () => localLanguage,
    description:
      "Local and rule-based: writes scenarios from the brief, the style guide and the palette. No model, no key, no network.",
  },
  image: {
    models: [{ id: "storyboard", name: "Storyboard" }],
    create: (_, { localGenerator }) => localImage(localGenerator),
    description:
      "Local and rule-based: typesets a storyboard frame from words and colors, without an image of the subject. No model, no key, no network.",
  },
  video: {
    models: [{ id: "camera", name: "Camera move" }],
    create: (_, { localGenerator }) => localVideo(localGenerator),
    description: "Local and rule-based: moves a camera over the still image. No model, no key, no network.",
  },
};
