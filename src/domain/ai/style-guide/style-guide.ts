import type { StyleGuide } from "../../projects/projects.ts";
import type { Services } from "../../services.ts";
import { hexColor } from "../../shared/colors.ts";
import { cleanText, textOrNull } from "../../shared/texts.ts";
import type { LanguageModel, Prompt } from "../models.ts";
import type { StyleGuideDraft } from "../output-schemas.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { type PageMode, pagePrompt, textPrompt } from "./prompts.ts";
import { pageText, readWebPage } from "./web-pages.ts";

export type ProductInfo = { readonly name: string; readonly description: string; readonly targetAudience?: string };

/** Writes down how the brand that a text describes looks and speaks. */
export async function extractStyleGuide(model: LanguageModel, text: string, call: ProviderCall) {
  const draft = await readDraft(model, textPrompt(text), text, call);
  return { styleGuide: styleGuideOf(draft) };
}

export type PageRequest = { readonly url: string; readonly includeProductInfo: boolean; readonly mode: PageMode };

/** The same for a page that a caller named. */
export async function extractFromPage(
  services: Pick<Services, "fetcher" | "files" | "pages">,
  model: LanguageModel,
  { url, includeProductInfo, mode }: PageRequest,
  call: ProviderCall,
): Promise<{ styleGuide: StyleGuide; productInfo?: ProductInfo }> {
  const text = pageText(await readWebPage(services, url, call.clientSignal));
  const draft = await readDraft(model, pagePrompt(text, mode, includeProductInfo), text, call);
  const productInfo = includeProductInfo ? productOf(draft) : undefined;
  return { styleGuide: styleGuideOf(draft), ...(productInfo && { productInfo }) };
}

const readDraft = (model: LanguageModel, prompt: Prompt, text: string, call: ProviderCall) => {
  const read = () => model.readStyleGuide({ prompt, text }, call);
  return model.isBilled ? call.once("style_guide", read) : read();
};

const maxPhrase = 500;
const maxEntry = 200;
const maxColors = 12;
const maxEntries = 20;

/** What a model says of the style, without what says nothing. */
export function styleGuideOf({ style_guide: draft }: StyleGuideDraft): StyleGuide {
  const guide: StyleGuide = {
    tone: phrase(draft.tone),
    color_palette: unique(draft.color_palette.flatMap((color) => colorIn(color) ?? [])).slice(0, maxColors),
    tempo: phrase(draft.tempo),
    camera_style: phrase(draft.camera_style),
    brand_voice: phrase(draft.brand_voice),
    must_include: entries(draft.must_include),
    must_avoid: entries(draft.must_avoid),
  };
  return Object.fromEntries(Object.entries(guide).filter(([, value]) => saysSomething(value)));
}

export function productOf({ product }: StyleGuideDraft): ProductInfo | undefined {
  const name = phrase(product?.name, maxEntry);
  const description = phrase(product?.description, 2000);
  if (!name && !description) return undefined;
  const targetAudience = phrase(product?.target_audience);
  return { name: name ?? "", description: description ?? "", ...(targetAudience && { targetAudience }) };
}

const phrase = (text: string | null | undefined, max = maxPhrase) => textOrNull(text, max) ?? undefined;

/** Each once, whatever its capitals. */
const entries = (texts: readonly string[]): readonly string[] => {
  const tidy = texts.slice(0, 10 * maxEntries).flatMap((text) => phrase(text, maxEntry) ?? []);
  return [...new Map(tidy.toReversed().map((text) => [text.toLowerCase(), text])).values()]
    .toReversed()
    .slice(0, maxEntries);
};

const unique = (values: readonly string[]) => [...new Set(values)];

const hexDigits = /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b/i;

/** A color, also where a model explains it: "deep navy (#0b1d3a)". */
function colorIn(text: string): string | undefined {
  const line = cleanText(text, maxEntry);
  return hexColor(line) ?? hexColor(hexDigits.exec(line)?.[0] ?? "");
}

const saysSomething = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined);
