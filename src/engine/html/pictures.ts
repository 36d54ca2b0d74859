import { cardLimits } from "./limits.ts";

const assetAddress = /^asset:([\w-]{1,100})$/;
const dataAddress = /^data:image\/(png|jpeg|jpg|webp);base64,([A-Za-z0-9+/=\s]+)$/;

/** How files of each type begin, in base64. */
const beginnings = { png: "iVBORw0KGgo", jpeg: "/9j/", webp: "UklGR" } as const;

/** The id of the asset that an address names. */
export const assetIdOf = (address: string): string | undefined => assetAddress.exec(address.trim())?.[1];

type Picture = { readonly container: "png" | "jpeg" | "webp"; readonly base64: string };

/** The picture in an address; undefined if it is none, or too large. */
export function dataPicture(address: string): Picture | undefined {
  const [, type, base64 = ""] = dataAddress.exec(address.trim()) ?? [];
  if (!type || base64.length > (cardLimits.pictureBytes * 4) / 3 + 4) return undefined;
  const container = type === "png" || type === "webp" ? type : "jpeg";
  return base64.trimStart().startsWith(beginnings[container]) ? { container, base64 } : undefined;
}

/** True for the addresses that a card may show: everything else is outside of it. */
export const isPictureAddress = (address: string): boolean =>
  assetIdOf(address) !== undefined || dataPicture(address) !== undefined;

/** Elements of SVG that draw by themselves and load nothing, by their names in lower case. */
export const drawnInSvg: ReadonlyMap<string, string> = new Map(
  [
    ...["svg", "g", "defs", "symbol", "use", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline"],
    ...["polygon", "linearGradient", "radialGradient", "stop", "clipPath", "mask", "pattern", "marker"],
    // filters of soft light; those that load a picture or make noise are left out
    ...["filter", "feGaussianBlur", "feOffset", "feFlood", "feBlend", "feColorMatrix", "feComposite"],
  ].map((name) => [name.toLowerCase(), name]),
);

const dataInText = /data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g;

/** The length of a text in bytes, without the data of the pictures in it. */
export const bytesWithoutPictures = (text: string): number => Buffer.byteLength(text.replace(dataInText, ""));
