import type { Effects } from "./motion.ts";
import type { DrawnState, GroupLayer } from "./overlay.ts";
import type { Source } from "./source.ts";

type Layer = {
  readonly content: GroupLayer["content"] | DrawnState["content"];
  readonly effects?: Effects<Layer> | undefined;
};

/** The images and fonts that a layer is drawn from, with those of its mask and of the layers in it. */
export function sourcesOfLayer({ content, effects }: Layer): readonly Source[] {
  const mask = effects?.mask;
  return [
    ...sourcesOfContent(content),
    ...(mask?.kind === "image" ? [mask.source] : []),
    ...(mask?.kind === "layer" ? sourcesOfLayer(mask.layer) : []),
  ];
}

function sourcesOfContent(content: Layer["content"]): readonly Source[] {
  if (content.kind === "group") return content.layers.flatMap(sourcesOfLayer);
  if (content.kind === "shape") return [];
  if (content.kind === "html") return [...Object.values(content.images), ...Object.values(content.fonts)];
  if (content.kind === "text") return content.style.font ? [content.style.font] : [];
  if (content.kind === "caption") return content.look.font ? [content.look.font] : [];
  return [content.source];
}
