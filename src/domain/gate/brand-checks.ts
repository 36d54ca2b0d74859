import { formatQuantity } from "../shared/issue-messages.ts";
import { type Check, grown, inPixels, overlaps } from "./finding.ts";
import { maxSearchedCharacters } from "./phrases.ts";
import type { RuleName } from "./rule-names.ts";

const palette: Check = ({ offColors }) => {
  if (!offColors) return undefined;
  const [first] = offColors;
  if (!first) return { measured: 0 };
  const more = offColors.length > 1 ? ` (and ${offColors.length - 1} more)` : "";
  return {
    measured: offColors.length,
    message: `${first.path} is ${first.color}, which is not in the palette${more}.`,
  };
};

const logoSpace: Check = ({ logos, images, texts, captions }, rule, { logo }) => {
  if (!logos) return undefined;
  const share = logo?.space ?? rule.min ?? 0;
  if (logos.length === 0) return { message: "The logo is not shown." };
  const others = [...texts, ...images, ...(captions?.pages ?? [])];
  for (const { box, start, end } of logos) {
    const space = share * Math.min(box.width, box.height);
    const zone = grown(box, space);
    const near = others.find((other) => other.start < end && other.end > start && overlaps(zone, other.box));
    if (near)
      return {
        message: `${near.path} comes closer to the logo than ${inPixels(space)}.`,
        at: [{ start: Math.max(start, near.start), end: Math.min(end, near.end) }],
      };
  }
  return {};
};

const listed = (phrases: readonly string[]): string => phrases.map((phrase) => JSON.stringify(phrase)).join(", ");

const mustSay: Check = ({ said }, _, { mustSay: phrases = [] }) => {
  if (phrases.length === 0) return undefined;
  const missing = phrases.filter((phrase) => !said.has(phrase));
  return {
    measured: missing.length,
    message: missing.length > 0 ? `The video neither shows nor says ${listed(missing)}.` : undefined,
  };
};

const notSearched = `Only the first ${formatQuantity(maxSearchedCharacters, "characters")} of what the video shows and says were searched.`;

const mustNotSay: Check = ({ said, isSearchedWhole }, _, { mustNotSay: phrases = [] }) => {
  if (phrases.length === 0) return undefined;
  const found = phrases.filter((phrase) => said.has(phrase));
  const rest = isSearchedWhole ? undefined : notSearched;
  return { measured: found.length, message: found.length > 0 ? `The video shows or says ${listed(found)}.` : rest };
};

export const brandChecks = {
  palette,
  logo_space: logoSpace,
  must_say: mustSay,
  must_not_say: mustNotSay,
} satisfies Partial<Record<RuleName, Check>>;
