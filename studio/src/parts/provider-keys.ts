import { signal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { api, unwrap } from "../api.ts";

const route = api.auth["provider-keys"];

export type KeptKey = InferResponseType<typeof route.$get, 200>[number];

/** The providers whose keys the account keeps; undefined until they are loaded. */
export const keptKeys = signal<readonly KeptKey[] | undefined>(undefined);

export async function loadKeptKeys(): Promise<void> {
  keptKeys.value = await unwrap(route.$get());
}

export async function keepKey(provider: string, key: string): Promise<void> {
  await unwrap(route[":provider"].$put({ param: { provider }, json: { key } }));
  await loadKeptKeys();
}

export async function forgetKey(provider: string): Promise<void> {
  await unwrap(route[":provider"].$delete({ param: { provider } }));
  await loadKeptKeys();
}
