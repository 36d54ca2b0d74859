import type { StyleGuide } from "../../../../src/domain/projects/projects.ts";

/** A text as a person writes it, and all that it says about style. */
export type StyleGuideText = { readonly name: string; readonly text: string; readonly expected: StyleGuide };
