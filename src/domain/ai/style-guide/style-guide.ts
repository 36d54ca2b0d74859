import type { FileStore } from "../../../engine/ports.ts";
import { hexColor } from "../../../platform/colors.ts";
import { cleanText, textOrNull } from "../../../platform/texts.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import type { StyleGuide } from "../../projects/projects.ts";
import type { LanguageModel, Prompt } from "../models.ts";
import type { StyleGuideOutput } from "../output-schemas.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { type PageMode, pagePrompt, textPrompt } from "./prompts.ts";
import { type PageReader, pageText, readWebPage, type WebPage } from "./web-pages.ts";

type ProductInfo = { readonly name: string; readonly description: string; readonly targetAudience?: string };

export async function extractStyleGuide(model: LanguageModel, text: string, call: ProviderCall) {
  const output = await callModel(model, textPrompt(text), text, call);
  return { styleGuide: normalizeStyleGuide(output) };
}

type WebPageRequest = { readonly url: string; readonly includeProductInfo: boolean; readonly mode: PageMode };

type ExtractFromPagePorts = { readonly fetcher: Fetcher; readonly files: FileStore; readonly pages: PageReader };

/** Extracts the style guide, and the product if requested; the mode `feature` reads the page for the feature. */
export async function extractFromPage(
  ports: ExtractFromPagePorts,
  model: LanguageModel,
  request: WebPageRequest,
  call: ProviderCall,
): Promise<{ styleGuide: StyleGuide; productInfo?: ProductInfo }> {
  const { page: _, ...found } = await extractWithPage(ports, model, request, call);
  return found;
}

/** Also returns the page that was read. */
export async function extractWithPage(
  ports: ExtractFromPagePorts,
  model: LanguageModel,
  { url, includeProductInfo, mode }: WebPageRequest,
  call: ProviderCall,
): Promise<{ styleGuide: StyleGuide; productInfo?: ProductInfo; page: WebPage }> {
  const isFeature = mode === "feature";
  const page = await readWebPage(ports, url, call.taskOptions);
  const text = pageText(page);
  const withProduct = includeProductInfo || isFeature;
  const output = await callModel(model, pagePrompt(text, mode, withProduct), text, call);
  const found = withProduct ? normalizeProduct(output) : undefined;
  const productInfo = found ?? (isFeature ? productOf(page) : undefined);
  return { styleGuide: normalizeStyleGuide(output), ...(productInfo && { productInfo }), page };
}

const callModel = (model: LanguageModel, prompt: Prompt, text: string, call: ProviderCall) => {
  const extract = () => model.extractStyleGuide({ prompt, text }, call);
  return model.isBilled ? call.runOnce("style_guide", extract) : extract();
};

const maxPhraseCharacters = 500;
const maxEntryCharacters = 200;
const maxDescriptionCharacters = 2000;
const maxColors = 12;
const maxEntries = 20;

/** Cleans a model's style guide and leaves out empty fields. */
export function normalizeStyleGuide({ style_guide: output }: StyleGuideOutput): StyleGuide {
  const guide: StyleGuide = {
    tone: phrase(output.tone),
    color_palette: unique(output.color_palette.flatMap((color) => colorIn(color) ?? [])).slice(0, maxColors),
    tempo: phrase(output.tempo),
    camera_style: phrase(output.camera_style),
    brand_voice: phrase(output.brand_voice),
    must_include: entries(output.must_include),
    must_avoid: entries(output.must_avoid),
  };
  return Object.fromEntries(Object.entries(guide).filter(([, value]) => hasContent(value)));
}

/** Cleans a model's product info. Undefined if both name and description are empty. */
export function normalizeProduct({ product }: StyleGuideOutput): ProductInfo | undefined {
  const name = phrase(product?.name, maxEntryCharacters);
  const description = phrase(product?.description, maxDescriptionCharacters);
  if (!name && !description) return undefined;
  const targetAudience = phrase(product?.target_audience);
  return { name: name ?? "", description: description ?? "", ...(targetAudience && { targetAudience }) };
}

const productOf = ({ title, siteName, description, text }: WebPage): ProductInfo => ({
  name: cleanText(title || siteName, maxEntryCharacters),
  description: cleanText(description || text, maxPhraseCharacters),
});

const phrase = (text: string | null | undefined, maxCharacters = maxPhraseCharacters) =>
  textOrNull(text, maxCharacters) ?? undefined;

/** Cleaned texts without duplicates, ignoring case; the first spelling wins. */
const entries = (texts: readonly string[]): readonly string[] => {
  const cleaned = texts.slice(0, 10 * maxEntries).flatMap((text) => phrase(text, maxEntryCharacters) ?? []);
  return [...new Map(cleaned.toReversed().map((text) => [text.toLowerCase(), text])).values()]
    .toReversed()
    .slice(0, maxEntries);
};

const unique = (values: readonly string[]) => [...new Set(values)];

const hexDigits = /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b/i;

/** Finds the color in a text, even inside an explanation: "deep navy (#0b1d3a)". */
function colorIn(text: string): string | undefined {
  const line = cleanText(text, maxEntryCharacters);
  return hexColor(line) ?? hexColor(hexDigits.exec(line)?.[0] ?? "");
}

const hasContent = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined);
