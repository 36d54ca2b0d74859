import type { GroupLayer, Overlay } from "../../../../engine/timeline/overlay.ts";
import type { ExportLayout } from "../resolve.ts";
import type { WarningDetail } from "../warnings.ts";

/** What Lottie animations have and is not drawn, and words for text layers that they do not have. */
export const lottieWarnings = ({ overlays }: Pick<ExportLayout, "overlays">): readonly WarningDetail[] =>
  overlays.flatMap(({ path, overlay }) => {
    const messages = overlay ? messagesOf(overlay) : [];
    return [...new Set(messages)].map((message) => ({ path, message }));
  });

function messagesOf({ content }: Pick<Overlay, "content"> | Pick<GroupLayer, "content">): readonly string[] {
  if (content.kind === "group") return content.layers.flatMap(messagesOf);
  if (content.kind !== "lottie" && content.kind !== "image") return [];
  const { animation } = content.source.facts;
  if (!animation) return [];
  const ignored = animation.ignored.length > 0 ? [`Is drawn without: ${animation.ignored.join(", ")}.`] : [];
  if (content.kind === "image") return ignored;
  const unknown = Object.keys(content.texts).filter((name) => !animation.textLayers.includes(name));
  const known = animation.textLayers.length > 0 ? `It has: ${animation.textLayers.join(", ")}.` : "It has none.";
  return [...ignored, ...unknown.map((name) => `The animation has no text layer ${name}. ${known}`)];
}
