import { crc32 } from "node:zlib";
import { DomainError } from "../../errors.ts";
import { isId, newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import type { Scope } from "./scopes.ts";
import { newSecret, secretHash } from "./secrets.ts";

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

export type NewApiToken = {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresInDays?: number | null;
};

type Tokens = { readonly apiTokens: ApiTokenStore };

const mark = "rw_";
const dayMilliseconds = 86_400_000;
const touchEveryMilliseconds = 60_000;

export async function createApiToken(
  { apiTokens }: Tokens,
  userId: string,
  { name, scopes, expiresInDays }: NewApiToken,
): Promise<{ secret: string; token: ApiToken }> {
  const secret = newApiSecret();
  const createdAt = Date.now();
  const token: ApiToken = {
    id: newId("tok"),
    userId,
    name,
    tokenPrefix: secret.slice(0, mark.length + 8),
    hash: secretHash(secret),
    scopes,
    lastUsedAt: null,
    expiresAt: expiresInDays ? createdAt + expiresInDays * dayMilliseconds : null,
    createdAt,
  };
  await apiTokens.add(token);
  return { secret, token };
}

export async function revokeApiToken({ apiTokens }: Tokens, userId: string, tokenId: string): Promise<void> {
  const removed = isId("tok", tokenId) && (await apiTokens.remove(userId, tokenId));
  if (!removed) throw new DomainError("not_found", {});
}

/** The token that this secret opens, marked as used; throws invalid_token. */
export async function useApiToken({ apiTokens }: Tokens, secret: string): Promise<ApiToken> {
  const token = isApiSecret(secret) ? await apiTokens.findByHash(secretHash(secret)) : undefined;
  const now = Date.now();
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) throw new DomainError("invalid_token", {});
  if (now - (token.lastUsedAt ?? 0) > touchEveryMilliseconds) await apiTokens.touch(token.id, now);
  return token;
}

export const looksLikeApiSecret = (credential: string): boolean => credential.startsWith(mark);

/** The checksum lets a mistyped secret, or a scanner's find, be judged without a query. */
function newApiSecret(): string {
  const body = newSecret();
  return `${mark}${body}${checksumOf(body)}`;
}

function isApiSecret(secret: string): boolean {
  const [, body, checksum] = /^rw_([0-9a-f]{64})([0-9a-f]{8})$/.exec(secret) ?? [];
  return body !== undefined && checksumOf(body) === checksum;
}

const checksumOf = (body: string): string => crc32(body).toString(16).padStart(8, "0");
