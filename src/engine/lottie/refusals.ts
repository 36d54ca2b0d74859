import { DomainError } from "../../errors.ts";

const refused = (reason: string) => new DomainError("unsupported_media_type", { reason });

export const notLottie = () => refused("The file is no Lottie animation, or it is damaged.");

export const tooLarge = (limit: string) => refused(`The Lottie animation is too large: it may have ${limit}.`);

export const hasOutside = (name: string) =>
  refused(`The Lottie animation needs the file ${name.slice(0, 100)}: export it with its pictures in it.`);
