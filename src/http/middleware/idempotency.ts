import { extname } from "node:path";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { noCheckpoints } from "../../domain/ai/provider-calls.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { claimRequest, type IdempotencyLock, type StoredResponse } from "../../domain/idempotency/idempotency.ts";
import type { Services } from "../../domain/services.ts";
import { newId } from "../../domain/shared/ids.ts";
import { invalid } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { fingerprintOf } from "../request/fingerprint.ts";
import { documented } from "../response/doc.ts";

const description =
  "Send the same key with the same request again, and it is not done twice: within 24 hours the answer is the first one, " +
  "with the header Idempotency-Replayed. Without a key every request is a new one.";

const keyParameter = {
  in: "header" as const,
  name: "Idempotency-Key",
  description,
  schema: { type: "string" as const, minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

/** Last before the handler: a request with an Idempotency-Key that was answered gets the same answer again. */
export const idempotent = ({ idempotencyKeys, files }: Pick<Services, "idempotencyKeys" | "files">) =>
  documented(
    createMiddleware<AppEnv>(async (c, next) => {
      const key = requestedKey(c);
      if (key === undefined) {
        c.set("checkpoints", noCheckpoints);
        await next();
        return;
      }
      const request = { userId: c.var.caller.user.id, key, fingerprint: await fingerprintOf(c) };
      const claimed = await claimRequest(idempotencyKeys, request, c.req.raw.signal);
      if ("answer" in claimed) c.res = givenAgain(c, files, claimed.answer);
      else await answerKept(c, files, claimed.held, next);
    }),
    { parameters: [keyParameter] },
  );

function requestedKey(c: Context<AppEnv>): string | undefined {
  const key = c.req.header(keyParameter.name);
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw invalid(keyParameter.name, "Must be 1 to 255 visible ASCII characters, without spaces.");
  }
  return key;
}

async function answerKept(c: Context<AppEnv>, files: FileStore, held: IdempotencyLock, next: () => Promise<void>) {
  let file: StoredResponse["file"];
  c.set("checkpoints", held.steps);
  c.set("keepAnswerFile", async ({ path, sizeBytes }) => {
    const key = `${c.var.caller.user.id}/${newId("media")}${extname(path)}`;
    const isKept = await files.keepToo(path, key).then(
      () => true,
      () => false,
    );
    if (isKept) file = { key, sizeBytes };
  });
  let answer: StoredResponse | undefined;
  try {
    await next();
    answer = await answerOf(c, file);
  } finally {
    await held.end(answer, c.res.ok);
  }
}

/** Those that a handler sets; what every answer carries is set anew. */
const keptHeaders = [
  "cache-control",
  "content-disposition",
  "content-security-policy",
  "content-type",
  "location",
  "preference-applied",
  "x-export-warnings",
];

/** The answer as it is to be given again, if it can be: one that is a file without a file in the store cannot. */
async function answerOf(c: Context<AppEnv>, file: StoredResponse["file"]): Promise<StoredResponse | undefined> {
  const { status, headers } = c.res;
  const kept = keptHeaders.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!] as const] : []));
  const answer = { status, headers: Object.fromEntries(kept) };
  if (file && c.res.ok) return { ...answer, file };
  if (!headers.get("content-type")?.startsWith("application/json")) return undefined;
  const body = await c.res.text();
  c.res = new Response(body, c.res);
  return { ...answer, body };
}

function givenAgain(c: Context<AppEnv>, files: FileStore, { status, headers: kept, body = "", file }: StoredResponse) {
  const headers = { ...kept, "Idempotency-Replayed": "true" };
  if (!file) return new Response(status < 400 ? body : ofThisRequest(body, c.var.requestId), { status, headers });
  const { key, sizeBytes } = file;
  return new Response(files.read(key, 0, sizeBytes), {
    status,
    headers: { ...headers, "Content-Length": `${sizeBytes}` },
  });
}

/** The request that failed is not the one that asks now. */
const ofThisRequest = (body: string, requestId: string) => JSON.stringify({ ...JSON.parse(body), requestId });
