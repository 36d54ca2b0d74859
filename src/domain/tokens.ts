import type { Page, PageRequest } from "./paging.ts";
import type { Scope } from "./scopes.ts";

/** An API token. The secret itself is shown once and never stored. */
export type ApiToken = {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** The first characters of the secret, to recognise it by. */
  readonly tokenPrefix: string;
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly createdAt: number;
};

export type ApiTokenStore = {
  /** Newest first. */
  list(userId: string, page: PageRequest): Promise<Page<ApiToken>>;
  add(token: ApiToken): Promise<void>;
  findByHash(hash: string): Promise<ApiToken | undefined>;
  touch(tokenId: string, usedAt: number): Promise<void>;
  /** False when there is no such token of this user's. */
  remove(userId: string, tokenId: string): Promise<boolean>;
};
