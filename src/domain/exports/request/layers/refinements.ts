import type { z } from "zod";
import type { EffectFields } from "./effects.ts";
import type { KeyframesRequest } from "./keyframes.ts";
import type { MoveFields } from "./moves.ts";

/** The fields of the motion language that every layer, text and image has. */
export type MotionFields = EffectFields & MoveFields & { readonly keyframes?: KeyframesRequest | undefined };

type Animated = MotionFields & { readonly animateIn?: string | undefined; readonly animateOut?: string | undefined };

/** Reports fields of the motion language that contradict another field. */
export function requireConsistentMotion(layer: Partial<Animated>, context: z.core.$RefinementCtx): void {
  const add = (path: readonly string[], message: string) =>
    context.addIssue({ code: "custom", path: [...path], message });
  const { enter, exit, animateIn = "none", animateOut = "none" } = layer;
  if (enter !== undefined || exit !== undefined) {
    if (animateIn !== "none") add(["animateIn"], "Is not for use with enter or exit.");
    if (animateOut !== "none") add(["animateOut"], "Is not for use with enter or exit.");
  }
  if (layer.keyframes?.tint && !layer.filter?.tint) add(["filter", "tint"], "Is required for keyframes of tint.");
}

const shadowFields = ["shadowColor", "shadowBlur", "shadowOffsetX", "shadowOffsetY"] as const;

type Words = {
  readonly text?: string | undefined;
  readonly spans?: readonly { readonly text: string }[] | undefined;
};

type Styled = Words &
  Pick<Partial<EffectFields>, "mask"> & { readonly [field in (typeof shadowFields)[number]]?: unknown } & {
    readonly shadow?: unknown;
    readonly fontSize?: unknown;
    readonly min?: number | undefined;
    readonly max?: number | undefined;
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    readonly maxWidth?: number | undefined;
    readonly maxHeight?: number | undefined;
  };

/** The words of a text. */
export const wordsOf = ({ text, spans }: Words): string => spans?.map((span) => span.text).join("") ?? text ?? "";

/** Reports fields of a text that contradict another one. */
export function requireConsistentText(text: Styled, context: z.core.$RefinementCtx): void {
  const add = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  for (const field of shadowFields) {
    if (text.shadow !== undefined && text[field] !== undefined) add(field, "Is not for use with shadow.");
  }
  if (text.spans && text.text !== undefined && text.text !== wordsOf(text))
    add("spans", "Must have the words of text.");
  if (text.fontSize === "auto") {
    if ((text.width ?? text.maxWidth) === undefined) add("width", "Is required with the font size auto.");
    if ((text.height ?? text.maxHeight) === undefined) add("height", "Is required with the font size auto.");
  }
  const { shape, width, height } = text.mask ?? {};
  const hasNoSize = shape !== undefined && shape !== "path" && (width === undefined || height === undefined);
  // the box of a text depends on its words
  if (hasNoSize) context.addIssue({ code: "custom", path: ["mask", "width"], message: "Is required, as is height." });
  if (text.min !== undefined && text.max !== undefined && text.min > text.max) add("min", "Must not be more than max.");
}

/** A text has `text` or `spans`. Also reported beside other issues, as those of required fields are. */
export const hasWords = {
  test: ({ text, spans }: Words): boolean => text !== undefined || spans !== undefined,
  params: {
    path: ["text"],
    message: "Is required.",
    when: ({ value }: z.core.ParsePayload) => typeof value === "object" && value !== null,
  },
};
