import { crc32 } from "node:zlib";
import { DomainError } from "../../errors.ts";
import { isId, newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import type { Scope } from "./scopes.ts";
import { hashSecret, newSecret } from "./secrets.ts";
import type { User } from "./users.ts";

/** An API token. Its secret is returned once, on creation; only the hash is stored. */
export type ApiToken = {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** The first characters of the secret, by which a user recognises the token. */
  readonly tokenPrefix: string;
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly createdAt: number;
  /** The name of the project for renders by the APIs of other services. */
  readonly rendersInto?: string | null;
};

export type ApiTokenStore = {
  /** Lists the newest first. */
  list(userId: string, page: PageRequest): Promise<Page<ApiToken>>;
  add(token: ApiToken): Promise<void>;
  findByHash(hash: string): Promise<{ readonly token: ApiToken; readonly user: User } | undefined>;
  markUsed(tokenId: string, usedAt: number): Promise<void>;
  /** False if the user has no such token. */
  remove(userId: string, tokenId: string): Promise<boolean>;
};

type NewApiToken = {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresInDays?: number | null;
  readonly rendersInto?: string | null;
};

type ApiTokenPorts = { readonly apiTokens: ApiTokenStore };

const secretPrefix = "rw_";
const shownSecretCharacters = 8;
const dayMs = 86_400_000;

/** The accuracy of `lastUsedAt`: keeps most requests from writing to the database. */
const markUsedEveryMs = 60_000;

export async function createApiToken(
  { apiTokens }: ApiTokenPorts,
  userId: string,
  { name, scopes, expiresInDays, rendersInto = null }: NewApiToken,
): Promise<{ secret: string; token: ApiToken }> {
  const secret = newApiTokenSecret();
  const createdAt = Date.now();
  const token: ApiToken = {
    id: newId("tok"),
    userId,
    name,
    tokenPrefix: secret.slice(0, secretPrefix.length + shownSecretCharacters),
    hash: hashSecret(secret),
    scopes,
    lastUsedAt: null,
    expiresAt: expiresInDays ? createdAt + expiresInDays * dayMs : null,
    createdAt,
    rendersInto,
  };
  await apiTokens.add(token);
  return { secret, token };
}

export async function revokeApiToken({ apiTokens }: ApiTokenPorts, userId: string, tokenId: string): Promise<void> {
  const removed = isId("tok", tokenId) && (await apiTokens.remove(userId, tokenId));
  if (!removed) throw new DomainError("not_found", {});
}

/** Returns the token of this secret with its user, and updates its last use. Throws invalid_token. */
export async function authenticateApiToken({ apiTokens }: ApiTokenPorts, secret: string) {
  const found = isValidSecret(secret) ? await apiTokens.findByHash(hashSecret(secret)) : undefined;
  const now = Date.now();
  if (!found || isExpired(found.token, now)) throw new DomainError("invalid_token", {});
  const { id, lastUsedAt } = found.token;
  if (now - (lastUsedAt ?? 0) > markUsedEveryMs) await apiTokens.markUsed(id, now);
  return found;
}

const isExpired = ({ expiresAt }: ApiToken, now: number): boolean => expiresAt !== null && expiresAt <= now;

export const hasApiTokenPrefix = (credential: string): boolean => credential.startsWith(secretPrefix);

/** The checksum lets mistyped secrets be rejected, and leaked ones be recognised, without a query. */
function newApiTokenSecret(): string {
  const body = newSecret();
  return `${secretPrefix}${body}${checksumOf(body)}`;
}

function isValidSecret(secret: string): boolean {
  const [, body, checksum] = /^rw_([0-9a-f]{64})([0-9a-f]{8})$/.exec(secret) ?? [];
  return body !== undefined && checksumOf(body) === checksum;
}

const checksumOf = (body: string): string => crc32(body).toString(16).padStart(8, "0");
