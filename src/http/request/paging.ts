import type { Context } from "hono";
import type { z } from "zod";
import { maxListedCharacters, type Page, type PageRequest } from "../../domain/shared/paging.ts";
import type { AppEnv } from "../app-env.ts";
import type { PageQuery } from "../schemas/common.ts";

export const pageRequest = ({ limit, cursor }: z.output<typeof PageQuery>): PageRequest => ({ limit, after: cursor });

/** Sets the Link header to the next page, if any, and returns the items as lists show them. */
export function withNextLink<Item, View>(
  c: Context<AppEnv>,
  { items, next }: Page<Item>,
  toView: (item: Item) => View,
): readonly View[] {
  if (next !== undefined) c.header("Link", `<${nextPageUrl(c.req, next)}>; rel="next"`);
  return items.map((item) => truncateForList(toView(item)));
}

// relative: the absolute URL depends on the Host header, which the client controls
function nextPageUrl(request: Context<AppEnv>["req"], cursor: string): string {
  const { token: _, ...query } = request.query();
  return `${request.path}?${new URLSearchParams({ ...query, cursor })}`;
}

/** Cuts all texts of an item, nested ones too, to 2,000 code points. */
const truncateForList = <Item>(item: Item): Item =>
  // safe because only texts are replaced, by texts
  hasLongText(item) ? (withCutTexts(item) as Item) : item;

function hasLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > maxListedCharacters;
  if (typeof value !== "object" || value === null) return false;
  return (Array.isArray(value) ? value : Object.values(value)).some(hasLongText);
}

function withCutTexts(value: unknown): unknown {
  if (typeof value === "string") return cutText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withCutTexts);
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withCutTexts(child)]));
}

// the slice bounds the work: a code point has one or two UTF-16 units
const cutText = (text: string) => [...text.slice(0, 2 * maxListedCharacters)].slice(0, maxListedCharacters).join("");
