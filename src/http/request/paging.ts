import type { Context } from "hono";
import type { z } from "zod";
import type { Page, PageRequest } from "../../domain/shared/paging.ts";
import type { AppEnv } from "../app-env.ts";
import type { PageQuery } from "./schemas.ts";

export const pageRequest = ({ limit, cursor }: z.output<typeof PageQuery>): PageRequest => ({ limit, after: cursor });

/** Tells in the Link header where the next page is, and answers the rows of this one. */
export function pageItems<Item>(c: Context<AppEnv>, { items, next }: Page<Item>): readonly Item[] {
  if (next !== undefined) c.header("Link", `<${nextPage(c.req, next)}>; rel="next"`);
  return items;
}

// the whole URL may be none: its host is whatever the caller wrote
function nextPage(request: Context<AppEnv>["req"], cursor: string): string {
  const { token: _, ...rest } = request.query();
  return `${request.path}?${new URLSearchParams({ ...rest, cursor })}`;
}
