import { lenientJson } from "../../platform/parse-json.ts";

type Candidate = { readonly address: string; readonly width: number };
type Attributes = Iterable<readonly [name: string, value: string]>;

/** Assumed widths where a page declares none: zoomed images are larger than displayed ones, placeholders smaller. */
const widths = { zoomed: 2000, lazy: 1000, shown: 600, small: 100 };

const smallName = /thumb|small|tiny|low|lqip|placeholder|mini|preview|blur|fallback|error/;
const zoomedName = /zoom|large|full|orig|big|high|hi-?res|retina|2x|master|max/;
const pictureName =
  /src|image|img|orig|zoom|large|full|big|bg|background|lazy|hi-?res|retina|photo|picture|thumb|media|gallery|slide/;
const setName = /(?:src|bg|img|image)-?set$/;

const imageFile = /\.(?:jpe?g|png|webp|avif|gif)(?:$|[?#@!&])/i;
const addressStart = /^(?:https?:)?\/\/|^\.{0,2}\//i;
/** File names of placeholders contain only words for "no picture yet". */
const placeholderFile =
  /^(?=.*(?:blank|spacer|placeholder|pixel|transparent|load|lazy.*\.(?:gif|svg)|dummy|1x1|no[-_]?(?:image|photo|img)))(?:blank|spacer|placeholder|pixel|transparent|loading|loader|load|lazyload|lazy|dummy|no|image|photo|img|woocommerce|ajax|spinner|bg|gr[ae]y|white|product|default|small|\d+|x|px|[-_.])+\.(?:gif|png|svg|jpe?g|webp)$/i;

const sizesInAddress = [
  // Shopify, WordPress, Squarespace, imgix, Next.js
  /[?&](?:w|width|wid|imwidth|sw|h|height|hei|sh|q|quality)=(\d{1,5})(?![^&#])/gi,
  /[?&]format=(\d{2,4})w\b/gi,
  // name-300x300.jpg, name_640x.jpg
  /[-_](\d{2,4})x\d{0,4}(?:_crop_\w{1,20})?(?:@\dx)?(?=\.\w{3,4}(?:$|[?#]))/gi,
  // Cloudinary, Wix, Akamai
  /(?<=[/,])w_(\d{1,4})(?=[,/])/gi,
  // Amazon, eBay, Etsy
  /[._]_?(?:AC_)?(?:S[XLYS]|U[XLYS])(\d{2,4})_/g,
  /(?<=\/s-l)(\d{2,4})(?=\.)/g,
  /(?<=\/il_)(\d{2,4})x[\dN]{1,4}(?=\.)/g,
  /(?<=\/)(\d{2,4})x\d{2,4}(?=\/)/g,
] as const;

/** The width that an address requests from its server. */
function widthIn(address: string): number | undefined {
  const found = sizesInAddress.flatMap((pattern) => [...address.matchAll(pattern)]);
  const asked = found.find(([text]) => !/^[?&](?:h|q)/i.test(text));
  return asked ? Number(asked[1]) : undefined;
}

/** An address without the size that it requests. */
const withoutSize = (address: string): string =>
  sizesInAddress.reduce((text, pattern) => text.replaceAll(pattern, ""), address.replace(/^https?:/i, ""));

const maxAddressCharacters = 2000;

/** Pictures below this width may be replaced by larger versions elsewhere on the page. */
const enoughWidth = 1200;

/** Addresses as text, each picture once. Omits data URLs and placeholders. */
export function distinctPictures(addresses: readonly string[], most: number): readonly string[] {
  const found = new Map<string, string>();
  for (const written of addresses) {
    const address = written.replaceAll("&amp;", "&").trim();
    if (!isPicture(address)) continue;
    const key = withoutSize(address);
    const kept = found.get(key);
    if (kept === undefined && found.size === most) break;
    if (kept === undefined || isLarger(address, kept)) found.set(key, address);
  }
  return [...found.values()];
}

function isLarger(address: string, kept: string): boolean {
  const width = widthIn(kept);
  return width !== undefined && width < enoughWidth && (widthIn(address) ?? Number.POSITIVE_INFINITY) > width;
}

function isPicture(address: string): boolean {
  if (address === "" || address.length > maxAddressCharacters || /^(?:data|about|blob|javascript):|^#/i.test(address)) {
    return false;
  }
  return !placeholderFile.test(address.split(/[?#]/, 1)[0]!.split("/").at(-1)!); // safe because split gives one at least
}

/** The addresses in a `srcset` list, which may contain commas themselves. */
export function candidatesInSet(value: string, shownWidth: number): readonly Candidate[] {
  const found: Candidate[] = [];
  let address: string | undefined;
  const add = (descriptor = "") => {
    if (address === undefined) return;
    const [, number, unit] = /^([\d.]+)([wx])$/.exec(descriptor) ?? [];
    const size = Number(number ?? 1);
    found.push({ address, width: unit === "w" ? size : (widthIn(address) ?? shownWidth) * size });
    address = undefined;
  };
  for (const word of value.slice(0, maxValueCharacters).split(/\s+/)) {
    if (address === undefined) {
      address = word.replace(/^,+/, "") || undefined;
      if (!address?.endsWith(",")) continue;
      address = address.replace(/,+$/, "");
      add();
      continue;
    }
    const comma = word.indexOf(",");
    add(comma < 0 ? word : word.slice(0, comma));
    if (comma >= 0) address = word.slice(comma + 1) || undefined;
  }
  add();
  return found;
}

const maxValueCharacters = 200_000;
const maxNodes = 2000;

/** The addresses of pictures in the data that a page's scripts read. */
function candidatesInData(data: unknown, name: string): readonly Candidate[] {
  const found: Candidate[] = [];
  const waiting: (readonly [name: string, value: unknown, width?: number])[] = [[name, data]];
  for (let at = 0; at < waiting.length && at < maxNodes; at++) {
    const [key, value, width] = waiting[at]!; // safe because `at` is within the list
    if (typeof value === "string") {
      if (isNamedPicture(key, value)) found.push({ address: value, width: width ?? widthOf(key, value) });
    } else if (Array.isArray(value)) {
      waiting.push(...value.slice(0, maxNodes).map((item) => [key, item] as const));
    } else if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value).slice(0, maxNodes);
      const own = entries.find(([property, size]) => property === "width" && typeof size === "number")?.[1] as number;
      for (const [property, item] of entries) {
        // addresses as keys, with their sizes
        if (imageFile.test(property) && Array.isArray(item)) found.push({ address: property, width: Number(item[0]) });
        else waiting.push([property, item, own]);
      }
    }
  }
  return found;
}

const isNamedPicture = (name: string, value: string): boolean =>
  !/\s/.test(value.trim()) &&
  (imageFile.test(value) || (pictureName.test(name.toLowerCase()) && addressStart.test(value)));

function widthOf(name: string, address: string): number {
  const known = widthIn(address);
  if (known !== undefined) return known;
  if (smallName.test(name)) return widths.small;
  return zoomedName.test(name) ? widths.zoomed : widths.lazy;
}

const decoded = (value: string): string =>
  value
    .replaceAll(/&(?:quot|#34|#x22);/gi, '"')
    .replaceAll(/&(?:#39|#x27|apos);/gi, "'")
    .replaceAll("&amp;", "&");

/** Every address that an element declares for its picture. */
function candidatesOf(attributes: Attributes): readonly Candidate[] {
  const named = new Map([...attributes].map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const [, least] = /min-width:\s*(\d+)/.exec(named.get("media") ?? "") ?? [];
  const shown = Number.parseInt(named.get("width") ?? least ?? "", 10) || widths.shown;
  const largest = Math.max(...(named.get("data-widths")?.match(/\d+/g) ?? ["1200"]).slice(0, 100).map(Number));
  return [...named].flatMap(([name, value]): readonly Candidate[] => {
    if (value === "") return [];
    if (setName.test(name)) return candidatesInSet(value, shown);
    if (name === "src") return [{ address: value, width: widthIn(value) ?? shown }];
    if (name === "href" || !/^data-|src$/.test(name) || value.length > maxValueCharacters) return [];
    if (/^[[{]/.test(value)) return candidatesInData(lenientJson(decoded(value)), name);
    const address = value.replaceAll(/\{width\}|%7Bwidth%7D/gi, String(largest));
    const isNamed = name.endsWith("src") ? !/\s/.test(address) : isNamedPicture(name, address);
    return isNamed ? [{ address, width: widthOf(name, address) }] : [];
  });
}

/** The largest candidate, the first of equals. */
function best(candidates: readonly Candidate[]): string | undefined {
  const pictures = candidates.filter(({ address }) => isPicture(address));
  const first = pictures[0];
  return first && pictures.reduce((most, other) => (other.width > most.width ? other : most), first).address;
}

/** Attributes in which shop programs store the pictures of their products, beside the elements that show them. */
const holders = [
  ...["bg", "bg-src", "bgset", "background", "background-image", "background-src", "lazy-background", "lazy-bg"],
  ...["product_thumbnails", "product-images", "images", "gallery", "gallery-images", "media", "thumbnails"],
  ...["image", "image-src", "large-image", "zoom-image", "zoom", "full", "image-info", "src"],
].map((name) => `:not(img):not(source):not(iframe):not(script):not(video)[data-${name}]`);

const decodable = /^image\/(?:jpe?g|png|webp|avif|gif)$/i;

/** Ten times as many as a page for people has. */
const maxElements = 5000;

/** Most smaller images are icons. */
const minSide = 200;

export type Pictures = { readonly images: string[]; readonly logos: string[]; readonly backgrounds: string[] };

/** Adds the pictures of a page, each at its largest. Those of `noscript` count where scripts load the others. */
export function collectPictures(rewriter: HTMLRewriter, { images, logos, backgrounds }: Pictures): HTMLRewriter {
  // of the `picture` or link around an image
  let around: Candidate[] = [];
  let isInPicture = false;
  let count = 0;
  const isEnough = () => ++count > maxElements;
  const flush = () => {
    const address = best(around);
    if (address) images.push(address);
    around = [];
  };
  const addImage = (image: HTMLRewriterTypes.Element) => {
    if (isEnough()) return;
    const address = best([...around, ...candidatesOf(image.attributes)]);
    around = [];
    if (address === undefined) return;
    const named = ["src", "alt", "class", "id"].map((name) => image.getAttribute(name) ?? "").join(" ");
    // before the page's icon, which is a part of it
    if (/logo/i.test(/^data:/i.test(image.getAttribute("src") ?? "") ? `${named} ${address}` : named)) {
      logos.unshift(address);
      return;
    }
    const sides = ["width", "height"].flatMap((name) => Number.parseInt(image.getAttribute(name) ?? "", 10) || []);
    if (sides.every((side) => side >= minSide)) images.push(address);
  };
  rewriter
    .on("picture", {
      element: (picture) => {
        if (isEnough()) return;
        isInPicture = true;
        picture.onEndTag(() => {
          isInPicture = false;
          flush();
        });
      },
    })
    // a combined selector would test all open elements for each
    .on("source", {
      element: (source) => {
        const type = source.getAttribute("type");
        if (!isInPicture || isEnough()) return;
        if (!type || decodable.test(type)) around.push(...candidatesOf(source.attributes));
      },
    })
    .on("a[href]", {
      element: (link) => {
        if (isEnough()) return;
        const address = link.getAttribute("href") ?? "";
        around = imageFile.test(address) ? [{ address, width: widthIn(address) ?? widths.zoomed }] : [];
        link.onEndTag(() => {
          around = [];
        });
      },
    })
    .on("img", { element: addImage })
    .on("amp-img", { element: addImage })
    .on('link[as="image"]', { element: (link) => void backgrounds.push(linked(link)) })
    .on('link[rel~="image_src"]', { element: (link) => void backgrounds.push(linked(link)) });
  for (const holder of holders) {
    rewriter.on(holder, {
      element: (element) => {
        if (isEnough()) return;
        const data = [...element.attributes].find(([name, value]) => isListed(name, value));
        if (!data) backgrounds.push(best(candidatesOf(element.attributes)) ?? "");
        else backgrounds.push(...picturesInList(decoded(data[1])));
      },
    });
  }
  return rewriter;
}

const linked = (link: HTMLRewriterTypes.Element): string => {
  const set = candidatesInSet(link.getAttribute("imagesrcset") ?? "", widths.shown);
  const address = link.getAttribute("href");
  return best([...set, ...(address ? [{ address, width: widthIn(address) ?? widths.shown }] : [])]) ?? "";
};

const isListed = (name: string, value: string): boolean => name.startsWith("data-") && /^\s*\[/.test(value);

/** One for each item of a list of pictures. */
export function picturesInList(text: string): readonly string[] {
  const list = text.length > maxValueCharacters ? undefined : lenientJson(text);
  if (!Array.isArray(list)) return [];
  return list.slice(0, 100).flatMap((item) => best(candidatesInData(item, "image")) ?? []);
}

const maxStyleCharacters = 4000;

/** The background pictures in an element's style. */
export const picturesInStyle = (style: string): readonly string[] =>
  /background/i.test(style)
    ? [...decoded(style.slice(0, maxStyleCharacters)).matchAll(/url\(\s*["']?([^"'()\s]{1,2000})/gi)].map(
        ([, address]) => address!,
      ) // safe because the pattern has a group
    : [];
