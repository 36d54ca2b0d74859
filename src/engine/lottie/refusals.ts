import { unsupportedMedia } from "../inspect/file-families.ts";

export const notLottie = () => unsupportedMedia("The file is no Lottie animation, or it is damaged.");

export const tooLarge = (limit: string) => unsupportedMedia(`The Lottie animation is too large: it may have ${limit}.`);

export const hasOutside = (name: string) =>
  unsupportedMedia(`The Lottie animation needs the file ${name.slice(0, 100)}: export it with its pictures in it.`);
