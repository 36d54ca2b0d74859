import { DomainError } from "../../errors.ts";
import { isId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import { requireFound } from "../shared/versioned.ts";
import type { Session } from "./access-tokens.ts";
import { hashSecret } from "./secrets.ts";

export type SessionDetails = {
  readonly id: string;
  readonly userId: string;
  /** The User-Agent of the login, by which a user recognises the session. */
  readonly userAgent: string | null;
  readonly createdAt: number;
  /** Accurate to `useNotedEveryMs`. */
  readonly lastUsedAt: number;
  /** The session ends at this time unless its tokens are refreshed. */
  readonly expiresAt: number;
};

/** Finds no ended or expired sessions. */
export type SessionStore = {
  /** Lists the newest first. */
  list(userId: string, now: number, page: PageRequest): Promise<Page<SessionDetails>>;
  find(session: Session, now: number): Promise<SessionDetails | undefined>;
  findByCookie(cookieHash: string, now: number): Promise<Session | undefined>;
  markUsed(sessionId: string, usedAt: number): Promise<void>;
  /** False if the user has no such session. */
  end(session: Session, now: number): Promise<boolean>;
  endAll(userId: string, now: number): Promise<void>;
};

/** Keeps malformed ids out of queries. Sessions of earlier versions have UUIDs. */
export const isSessionId = (value: string): boolean =>
  isId("sess", value) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

type SessionStorePort = { readonly sessions: SessionStore };

/** The session that a page's cookie was set for. Throws invalid_token. */
export async function sessionOfCookie({ sessions }: SessionStorePort, secret: string): Promise<Session> {
  const isSecret = /^[0-9a-f]{64}$/.test(secret);
  const found = isSecret ? await sessions.findByCookie(hashSecret(secret), Date.now()) : undefined;
  if (!found) throw new DomainError("invalid_token", {});
  return found;
}

/** Throws not_found for an ended session, and for another user's. */
export async function requireSession({ sessions }: SessionStorePort, session: Session): Promise<SessionDetails> {
  return requireFound(isSessionId(session.sessionId) ? await sessions.find(session, Date.now()) : undefined);
}

/** Ends a session and its access tokens. Throws not_found. */
export async function endSession({ sessions }: SessionStorePort, session: Session): Promise<void> {
  const isEnded = isSessionId(session.sessionId) && (await sessions.end(session, Date.now()));
  requireFound(isEnded || undefined);
}

export const endAllSessions = ({ sessions }: SessionStorePort, userId: string): Promise<void> =>
  sessions.endAll(userId, Date.now());

/** Keeps most requests from writing to the database. */
const useNotedEveryMs = 10 * 60 * 1000;

const maxNotedSessions = 10_000;

/** Stores the time of use of sessions. Never throws: `lastUsedAt` is only for display. */
export function sessionUse({ sessions }: SessionStorePort): (session: Session) => Promise<void> {
  const notedAt = new Map<string, number>();
  return async ({ sessionId }) => {
    const now = Date.now();
    if (now - (notedAt.get(sessionId) ?? 0) < useNotedEveryMs) return;
    notedAt.delete(sessionId);
    notedAt.set(sessionId, now);
    const [oldest] = notedAt.keys();
    if (notedAt.size > maxNotedSessions && oldest !== undefined) notedAt.delete(oldest);
    await sessions.markUsed(sessionId, now).catch(() => {});
  };
}
