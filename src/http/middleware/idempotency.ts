import { extname } from "node:path";
import type { Context, MiddlewareHandler } from "hono";
import { noCheckpoints } from "../../domain/idempotency/checkpoints.ts";
import { claimRequest, type IdempotencyLock, type StoredResponse } from "../../domain/idempotency/idempotency.ts";
import { newId } from "../../domain/shared/ids.ts";
import type { FileStore } from "../../engine/ports.ts";
import { DomainError, invalid, isDatabaseAway } from "../../errors.ts";
import { linkSignal } from "../../platform/async.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { described, describeMiddleware } from "../openapi.ts";
import { requestFingerprint } from "../request/fingerprint.ts";
import { applyCost, costHeader, noCost } from "../response/cost.ts";
import { applyEtag } from "../response/etag.ts";

const description =
  "Makes the request safe to retry: for 24 hours, the same request with the same key is not executed again, but gets the " +
  "first response with the header Idempotency-Replayed. The request continues if its client disconnects.";

const keyParameter = {
  in: "header" as const,
  name: "Idempotency-Key",
  description,
  schema: { type: "string" as const, minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

/** Executes a request with an Idempotency-Key once and replays its response later. Runs just before the handler. */
export const idempotent = ({ files, ...ports }: Pick<Services, "idempotencyKeys" | "leases" | "files">) =>
  described(
    {
      parameters: [keyParameter],
      errors: ["validation_error", "idempotency_mismatch", "request_in_progress", "rate_limited"],
    },
    async (c, next) => {
      const key = requestedKey(c);
      if (key === undefined) {
        c.set("checkpoints", noCheckpoints);
        await next();
        return;
      }
      const request = { userId: c.var.caller.user.id, key, fingerprint: requestFingerprint(c) };
      const end = detachFromClient(c);
      try {
        const claimed = await claimRequest(ports, request, clientSignal(c));
        if ("response" in claimed) c.res = await replay(c, files, claimed.response);
        else await runAndStore(c, files, claimed.lock, next);
      } finally {
        end();
      }
    },
  );

/** The response may be stored, which is known only after the body was read. */
export const unlessRepeatable = (check: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> =>
  describeMiddleware((c, next) => (c.req.header(keyParameter.name) === undefined ? check(c, next) : next()), {
    errors: ["limit_reached"],
  });

function requestedKey(c: Context<AppEnv>): string | undefined {
  const key = c.req.header(keyParameter.name);
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw invalid(keyParameter.name, "Must be 1 to 255 visible ASCII characters, without spaces.");
  }
  return key;
}

async function runAndStore(c: Context<AppEnv>, files: FileStore, lock: IdempotencyLock, next: () => Promise<void>) {
  let file: StoredResponse["file"];
  c.set("checkpoints", lock.checkpoints);
  c.set("storeResponseFile", async (original, projectId) => {
    // the project's store finds the file by this folder
    const key = `${projectId}/${newId("media")}${extname(original.key)}`;
    const isStored = await files.copy(original.key, key).then(
      () => true,
      () => false,
    );
    if (isStored) file = { key, sizeBytes: original.sizeBytes };
  });
  let response: StoredResponse | undefined;
  try {
    assertMayDetach(c.var.caller.user.id);
    await next();
    applyEtag(c);
    applyCost(c);
    response = await storableResponse(c, file);
  } finally {
    if (isDatabaseAway(c.error)) lock.abandon();
    else await lock.finish(response, c.res.ok);
  }
}

/** Stored headers are those that handlers set; headers of every response are set again on replay. */
const storedHeaders = [
  "cache-control",
  "content-disposition",
  "content-security-policy",
  "content-type",
  "etag",
  "location",
  "preference-applied",
  "x-cost",
  "x-export-warnings",
  "x-image-model-id",
  "x-model-id",
];

/** Undefined if the response cannot be replayed: it is neither JSON nor a file that the handler stored. */
async function storableResponse(c: Context<AppEnv>, file: StoredResponse["file"]): Promise<StoredResponse | undefined> {
  const { status } = c.res;
  const headers = Object.fromEntries([...c.res.headers].filter(([name]) => storedHeaders.includes(name)));
  if (file && c.res.ok) return { status, headers, file };
  if (!headers["content-type"]?.startsWith("application/json")) return undefined;
  const body = await c.res.text();
  c.res = new Response(body, c.res);
  return { status, headers, body };
}

async function replay(c: Context<AppEnv>, files: FileStore, stored: StoredResponse): Promise<Response> {
  const { status, body = "", file } = stored;
  const isPaid = costHeader.toLowerCase() in stored.headers;
  const headers = { ...stored.headers, "Idempotency-Replayed": "true", ...(isPaid && { "x-cost": noCost }) };
  if (!file) return new Response(status < 400 ? body : withRequestId(body, c.var.requestId), { status, headers });
  return new Response(await files.read(file, 0, file.sizeBytes), {
    status,
    headers: { ...headers, "Content-Length": `${file.sizeBytes}` },
  });
}

/** An error body contains a request id: here that of the retry, not of the failed request. */
const withRequestId = (body: string, requestId: string) => JSON.stringify({ ...JSON.parse(body), requestId });

/** The same limit as for operations. */
const maxPerUser = 20;

/** The running requests of this process whose clients have left, by user. */
const detached = new Map<string, Set<Request>>();

/** Throws rate_limited if too many requests of the user already run without a client. */
function assertMayDetach(userId: string): void {
  const running = detached.get(userId)?.size ?? 0;
  if (running >= maxPerUser) throw new DomainError("rate_limited", { retryAfterSeconds: 10 });
}

/** Detaches until the process stops. Call the returned function at the end. Operations have no client. */
function detachFromClient(c: Context<AppEnv>): () => void {
  if (c.env?.deferred) return () => {};
  const { raw } = c.req;
  const { id: userId } = c.var.caller.user;
  const leave = () => detached.set(userId, (detached.get(userId) ?? new Set()).add(raw));
  const stopped = linkSignal(c.var.stopSignal);
  c.set("detachedSignal", stopped.signal);
  if (raw.signal.aborted) leave();
  raw.signal.addEventListener("abort", leave, { once: true });
  return () => {
    stopped.release();
    raw.signal.removeEventListener("abort", leave);
    const running = detached.get(userId);
    running?.delete(raw);
    if (running?.size === 0) detached.delete(userId);
  };
}
