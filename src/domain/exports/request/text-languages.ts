import { captionLanguage } from "../../captions/content.ts";
import type { Work } from "../../works/works.ts";
import type { CompleteRequest } from "./fill-from-editor.ts";
import type { TextLook } from "./layers/overlays.ts";
import type { LayerRequest } from "./layers/schema.ts";
import { dependsOnLanguage } from "./placement/overlays.ts";

/** Names the language of texts that depend on it, so that a later change of the work does not change the film. */
export function withTextLanguages(request: CompleteRequest, work: Pick<Work, "language">): CompleteRequest {
  const language = captionLanguage(request.captions ?? {}, work);
  if (language === undefined) return request;
  const named = <Text extends TextLook>(text: Text): Text =>
    text.language === undefined && dependsOnLanguage(text) ? { ...text, language } : text;
  const inLayer = (layer: LayerRequest): LayerRequest => {
    if (layer.type === "group") return { ...layer, layers: layer.layers.map(inLayer) };
    return layer.type === "text" ? named(layer) : layer;
  };
  const { texts, layers } = request;
  return {
    ...request,
    ...(texts && { texts: texts.map(named) }),
    ...(layers && { layers: layers.map(inLayer) }),
  };
}
