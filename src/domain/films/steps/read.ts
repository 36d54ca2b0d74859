import { DomainError, isDomainError } from "../../../errors.ts";
import { cleanText, countWords, sentencesOf } from "../../../platform/texts.ts";
import { toTenths } from "../../../platform/values.ts";
import { analyzeVideo } from "../../ai/analysis/analyze.ts";
import { extractWithPage } from "../../ai/style-guide/style-guide.ts";
import { type WebPage, withScheme } from "../../ai/style-guide/web-pages.ts";
import { type Asset, type AssetPorts, addAsset } from "../../assets/assets.ts";
import { receiveStored } from "../../files/file-store.ts";
import { priceIn } from "../../language/offers.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { Work } from "../../works/works.ts";
import type { Film, FilmFindings } from "../film.ts";
import type { MakePorts, Making } from "./making.ts";

type Found = { readonly found?: FilmFindings };

/** Reads the brief's page, and the video whose rhythm the film follows. */
export async function readBrief(ports: MakePorts, making: Making, work: Work): Promise<Found> {
  const { url, reference } = making.film.order.brief;
  if (reference) await followReference(ports, making, work, reference.assetId);
  return url === undefined ? {} : { found: await readPage(ports, making, work, url) };
}

/** The length of a film in seconds, as in an order. */
const filmSeconds = { least: 3, most: 180 };

/** Stores the analysis in the work; its length is the film's if the order names none. */
async function followReference(
  ports: MakePorts,
  { film, call, choiceOf }: Making,
  work: Work,
  assetId: string,
): Promise<void> {
  const asset = await ports.assets.find(work.projectId, assetId);
  if (!asset) throw new DomainError("asset_missing", { path: "brief.reference.assetId", what: "The reference" });
  const model = ports.models.vision(choiceOf("vision") ?? { provider: "local" });
  const received = await receiveStored(ports, asset.file, asset.file.sizeBytes);
  try {
    const options = { received, mode: work.mode, analyzerPrompt: "" };
    const analysis = await analyzeVideo(ports, { model, call }, options);
    const seconds = asset.file.facts.durationSeconds ?? 0;
    const length = Math.min(filmSeconds.most, Math.max(filmSeconds.least, toTenths(seconds)));
    await changeWork(ports, work, (found) => ({
      ...found,
      hasReferenceVideo: true,
      analysis,
      ...(film.order.seconds === undefined && seconds > 0 && { videoDuration: length }),
    }));
  } finally {
    await ports.files.discard(received);
  }
}

/** Takes name, facts, colors, logo and pictures from the page, except those that the order has. */
async function readPage(
  ports: MakePorts,
  { film, call, choiceOf }: Making,
  work: Work,
  url: string,
): Promise<FilmFindings> {
  const { text, assetIds = [] } = film.order.brief;
  const model = ports.models.llm(choiceOf("llm") ?? {});
  const request = { url, includeProductInfo: true, mode: "landing" as const };
  const { page, productInfo, styleGuide } = await extractWithPage(ports, model, request, call);
  const { name = "", description = "", targetAudience = "" } = productInfo ?? {};
  const colors = styleGuide.color_palette?.length ? styleGuide.color_palette : page.colors.slice(0, maxColors);
  const productName = name || page.product?.name || page.title;
  const { language } = film.order;
  const described = describedPage(page, { description, isByRules: !model.isBilled, language });
  const source = { projectId: work.projectId, base: withScheme(url), name: productName, call };
  const logo = await firstImage(ports, source, page.logos, "logo");
  const pictures = assetIds.length > 0 ? [] : await imagesOf(ports, source, page.images);
  await changeWork(ports, work, (found) => ({
    ...found,
    productName: found.productName || name || (page.product?.name ?? ""),
    productDescription: [text, described].filter(Boolean).join("\n\n"),
    targetAudience: found.targetAudience || targetAudience,
    ...(pictures.length > 0 && {
      selectedAssetIds: pictures.map(({ id }) => id),
      assetUsageMode: isDrawnHere(film) ? ("direct" as const) : ("reference" as const),
      ...(isDrawnHere(film) &&
        film.order.scenes === undefined && { sceneCount: Math.max(minScenes, pictures.length + 1) }),
    }),
  }));
  const { width = 1, height = 1 } = logo?.file.facts ?? {};
  return {
    styleGuide: { ...styleGuide, ...(colors.length > 0 && { color_palette: colors }) },
    ...(logo && { logo: { assetId: logo.id, ratio: width / height } }),
  };
}

const maxColors = 6;
const minScenes = 4;

const isDrawnHere = ({ order: { models } }: Film): boolean =>
  models.image === undefined || models.image.provider === "local";

type Source = Pick<Making, "call"> & {
  readonly projectId: string;
  /** The URL of the page. */
  readonly base: string;
  readonly name: string;
};

const maxPictures = 3;
const maxTried = 8;
const maxImageBytes = 10 * 1024 * 1024;

/** The shorter side in pixels: smaller pictures are icons, and blurred on a screen. */
const minSide = { picture: 400, logo: 120 };

async function imagesOf(ports: MakePorts, source: Source, addresses: WebPage["images"]): Promise<readonly Asset[]> {
  const found: Asset[] = [];
  for (const address of addresses.slice(0, maxTried)) {
    if (found.length === maxPictures) break;
    const asset = await fetchImage(ports, source, address, "picture");
    if (asset && !found.some(({ file }) => file.sha256 === asset.file.sha256)) found.push(asset);
  }
  return found;
}

async function firstImage(ports: MakePorts, source: Source, addresses: readonly string[], kind: "logo") {
  for (const address of addresses.slice(0, maxTried)) {
    const asset = await fetchImage(ports, source, address, kind);
    if (asset) return asset;
  }
  return undefined;
}

/** Fetches an image as an asset of the project. Undefined for an unusable image, which a film does not need. */
async function fetchImage(
  ports: MakePorts & Pick<AssetPorts, "files">,
  { projectId, base, name, call }: Source,
  address: string,
  kind: keyof typeof minSide,
): Promise<Asset | undefined> {
  const url = URL.parse(address, base);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  try {
    const options = { path: "brief.url", maxBytes: maxImageBytes, ...call.taskOptions };
    const received = await ports.fetcher.download(url.href, options);
    try {
      const facts = await ports.inspector.inspect(received.path, call.taskOptions);
      const { width = 0, height = 0 } = facts;
      if (facts.kind !== "image" || Math.min(width, height) < minSide[kind]) return undefined;
      const named = { name: cleanText(`${name} ${kind}`, 80), filename: "" };
      return await addAsset(ports, { projectId, received, ...named }, call.taskOptions);
    } finally {
      await ports.files.discard(received);
    }
  } catch (error) {
    if (isDomainError(error) && !call.clientSignal.aborted) return undefined;
    throw error;
  }
}

async function changeWork({ works }: MakePorts, { projectId, id }: Work, edit: (found: Work) => Work): Promise<Work> {
  return requireFound(await works.change(projectId, id, (found) => ({ ...edit(found), updatedAt: Date.now() })));
}

type Described = {
  /** The description from the page. */
  readonly description: string;
  /** True if rules have read it, which take the page's own one-sentence description. */
  readonly isByRules: boolean;
  readonly language: string | undefined;
};

/** A film has about this many scenes besides the first and the last one. */
const enoughSentences = 4;

/** The facts of the page's product for a film: its description, further figures on the page, and the price. */
export function describedPage(page: WebPage, { description, isByRules, language }: Described): string {
  const sentences = [...sentencesOf(description)];
  if (isByRules) {
    for (const more of [...sentencesOf(page.product?.description ?? ""), ...figuresIn(page.text)]) {
      if (sentences.length >= enoughSentences) break;
      if (!sentences.some((said) => saysSame(said, more))) sentences.push(more);
    }
  }
  const described = sentences.map(ended).join(" ");
  const price = priceIn(described) === undefined ? priceText(page, language) : undefined;
  return [described, price].filter(Boolean).join(" ");
}

const bare = (sentence: string): string =>
  sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const saysSame = (one: string, other: string): boolean =>
  bare(one).includes(bare(other)) || bare(other).includes(bare(one));

const ended = (sentence: string): string => (/[.!?。！？]$/u.test(sentence) ? sentence : `${sentence}.`);

/** Words about shops and their pages, not about a product. */
const aboutShop =
  /©|\b(?:19|20)\d\d\b|cookie|review|rating|rated|bewert|newsletter|shipping|versand|deliver|liefer|return|rückgabe|vat\b|mwst/iu;

const figureWords = { least: 3, most: 10 };

/** Whole sentences of the page with a number in them. */
const figuresIn = (text: string): readonly string[] =>
  sentencesOf(text).filter((sentence) => {
    const words = countWords(sentence);
    const isShort = words >= figureWords.least && words <= figureWords.most;
    return isShort && /\p{N}/u.test(sentence) && /[.。]$/u.test(sentence) && !aboutShop.test(sentence);
  });

/** Prints the price in a sentence that is later read as a price in this language. */
function priceText({ product }: WebPage, language = "en"): string | undefined {
  if (!product?.price) return undefined;
  const { amount, currency } = product.price;
  const digits = Number.isInteger(amount) ? { maximumFractionDigits: 0 } : {};
  const written = [language, "en"].map((locale) =>
    new Intl.NumberFormat(locale, { style: "currency", currency, ...digits }).format(amount).replaceAll(/\s/gu, " "),
  );
  const label = language.startsWith("de") ? "Preis" : "Price";
  return written.map((price) => `${label}: ${price}.`).find((sentence) => priceIn(sentence) !== undefined);
}
