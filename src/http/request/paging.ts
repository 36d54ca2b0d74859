import type { Context } from "hono";
import type { z } from "zod";
import type { Page, PageRequest } from "../../domain/shared/paging.ts";
import type { AppEnv } from "../app-env.ts";
import { listed } from "../response/listed.ts";
import type { PageQuery } from "../schemas/common.ts";

export const pageRequest = ({ limit, cursor }: z.output<typeof PageQuery>): PageRequest => ({ limit, after: cursor });

/** Sets the Link header to the next page, if there is one, and returns this page's items as lists show them. */
export function withNextLink<Item, View>(
  c: Context<AppEnv>,
  { items, next }: Page<Item>,
  toView: (item: Item) => View,
): readonly View[] {
  if (next !== undefined) c.header("Link", `<${nextPageUrl(c.req, next)}>; rel="next"`);
  return items.map((item) => listed(toView(item)));
}

// relative: the absolute URL depends on the Host header, which the client controls
function nextPageUrl(request: Context<AppEnv>["req"], cursor: string): string {
  const { token: _, ...query } = request.query();
  return `${request.path}?${new URLSearchParams({ ...query, cursor })}`;
}
