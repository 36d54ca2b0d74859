import { AwsV4Signer } from "aws4fetch";
import type { StoreRequestFacts } from "../../domain/telemetry/telemetry.ts";
import { isTemporary, refusalOf, type StoreRefusal } from "./errors.ts";

export type StoreAccess = {
  /** Has no path; buckets are named in the path of a request. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** Bytes from `start` up to, but not including, `end`, which may be infinite. */
export type ByteRange = { readonly start: number; readonly end: number };

export type StoreRequest = {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** The key of an object; empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
  /** Milliseconds until the response headers; for an upload, its body is included. */
  readonly attemptMs?: number;
  /** Milliseconds for all attempts: none begins later. */
  readonly totalMs?: number;
  /** Also ends the response's body. */
  readonly signal?: AbortSignal;
};

const maxAttempts = 4;
/** The default of requests without their own time. */
export type RequestTime = { readonly attemptMs: number; readonly totalMs: number };
const usualTime: RequestTime = { attemptMs: 2_000, totalMs: 4_000 };

export type SendRequest = (request: StoreRequest) => Promise<Response>;

/** Receives each sent request, repeated ones too. */
export type ObserveRequest = (request: StoreRequestFacts) => void;

/**
 * Sends signed requests, and retries temporary failures. Resolves with a successful response. Rejects with StoreRefusal
 * or the connection's error, by default within five seconds.
 */
export function requestSender(
  access: StoreAccess,
  observe: ObserveRequest = () => {},
  time: RequestTime = usualTime,
): SendRequest {
  const keys = new Map<string, ArrayBuffer>();
  const sign = ({ method, headers = {}, ...request }: StoreRequest) =>
    new AwsV4Signer({ ...access, service: "s3", method, headers, url: urlOf(access, request), cache: keys }).sign();

  return async (request) => {
    const { attemptMs, totalMs, signal } = { ...time, ...request };
    const endsAt = performance.now() + totalMs;
    for (let attempt = 1; ; attempt += 1) {
      const signed = await sign(request);
      const startedAt = performance.now();
      const result = await sendOnce(signed, request, Math.min(attemptMs, endsAt - startedAt));
      observe({ operation: operationOf(request), status: statusOf(result), seconds: secondsSince(startedAt) });
      if (result instanceof Response) return result;
      const pauseMs = 100 * 4 ** (attempt - 1) * (0.5 + Math.random() / 2);
      const isLast = attempt === maxAttempts || performance.now() + pauseMs > endsAt;
      if (isLast || !mayPass(result) || signal?.aborted) throw result;
      await Bun.sleep(pauseMs);
    }
  };
}

/** Path style, which every store supports. Keys have letters, digits, `_`, `.`, `-` and `/`: no encoding needed. */
export function urlOf(
  { endpoint, bucket }: Pick<StoreAccess, "endpoint" | "bucket">,
  { key, query = {} }: Pick<StoreRequest, "key" | "query">,
): string {
  const url = new URL(`${endpoint.replace(/\/+$/, "")}/${bucket}${key && `/${key}`}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function operationOf({ method, key, query = {}, headers = {} }: StoreRequest): string {
  if (key === "") return "list-type" in query ? "ListObjectsV2" : method === "HEAD" ? "HeadBucket" : "Bucket";
  if (method === "PUT") return "x-amz-copy-source" in headers ? "CopyObject" : "PutObject";
  return { GET: "GetObject", HEAD: "HeadObject", DELETE: "DeleteObject" }[method];
}

const statusOf = (result: Response | Error): string => ("status" in result ? `${result.status}` : "none");

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;

type SignedRequest = Awaited<ReturnType<AwsV4Signer["sign"]>>;

/** Returns the reason of a failure. The timeout covers only the headers, because a body may take any time. */
async function sendOnce(
  { url, headers }: SignedRequest,
  { method, body, signal }: StoreRequest,
  timeoutMs: number,
): Promise<Response | Error> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error("The object store did not respond.")), timeoutMs);
  try {
    const signals = AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]);
    const response = await fetch(url, { method, headers, body: body ?? null, signal: signals, redirect: "manual" });
    return response.ok ? response : await refusalOf(response);
  } catch (error) {
    return error as Error;
  } finally {
    clearTimeout(timer);
  }
}

const mayPass = (error: Error | StoreRefusal): boolean => !("status" in error) || isTemporary(error);
