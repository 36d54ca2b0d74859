import { cardLimits } from "./limits.ts";

const assetAddress = /^asset:([\w-]{1,100})$/;
const dataAddress = /^data:image\/(png|jpeg|jpg|webp);base64,([A-Za-z0-9+/=\s]+)$/;

/** The id of the asset that an address names. */
export const assetIdOf = (address: string): string | undefined => assetAddress.exec(address.trim())?.[1];

type Picture = { readonly container: "png" | "jpeg" | "webp"; readonly base64: string };

/** The picture in an address; undefined if it is none, or too large. */
export function dataPicture(address: string): Picture | undefined {
  const [, type, base64 = ""] = dataAddress.exec(address.trim()) ?? [];
  if (!type || base64.length > (cardLimits.pictureBytes * 4) / 3 + 4) return undefined;
  return { container: type === "png" || type === "webp" ? type : "jpeg", base64 };
}

/** True for the addresses that a card may show: everything else is outside of it. */
export const isPictureAddress = (address: string): boolean =>
  assetIdOf(address) !== undefined || dataPicture(address) !== undefined;

const dataInText = /data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g;

/** The length of a text in bytes, without the data of the pictures in it. */
export const bytesWithoutPictures = (text: string): number => Buffer.byteLength(text.replace(dataInText, ""));
