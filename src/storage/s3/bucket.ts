import { AwsV4Signer } from "aws4fetch";
import { ifMissing } from "../../platform/files.ts";
import { StoreRefusal, toFileError } from "./errors.ts";
import {
  type ByteRange,
  type ObserveRequest,
  type RequestTime,
  requestSender,
  type SendRequest,
  type StoreAccess,
  type StoreRequest,
  urlOf,
} from "./request.ts";

export type StoredObject = { readonly key: string; readonly sizeBytes: number; readonly writtenAt: number };

type ObjectPage = { readonly objects: readonly StoredObject[]; readonly folders: readonly string[] };

type PutOptions = {
  /** The hexadecimal hash of the body: the store checks it and returns it as `x-amz-meta-sha256`. */
  readonly sha256: string;
  /** Leaves an existing object unchanged. */
  readonly once?: boolean;
};

/** Errors: ENOENT for a missing object, `unavailable` or `storage_full`; `unavailable` within five seconds. */
export type Bucket = {
  get(key: string, options?: { readonly range?: ByteRange; readonly signal?: AbortSignal }): Promise<Response>;
  /** Stores the object completely or not at all. False if `once` is set and the object exists. */
  put(key: string, body: Blob, options: PutOptions): Promise<boolean>;
  copy(key: string, newKey: string): Promise<void>;
  /** Succeeds also if the object does not exist. */
  remove(key: string): Promise<void>;
  /** Pages of at most 1,000 objects in `folder`; with `delimiter`, folders instead of their objects. */
  list(folder: string, delimiter?: string): AsyncGenerator<ObjectPage>;
  /** Resolves if the store responds and accepts the bucket and the credentials. */
  check(): Promise<void>;
  /** A public URL of the object, valid for `seconds`; its response has the headers in `query`. */
  presign(key: string, query: Readonly<Record<string, string>>, seconds: number): Promise<string>;
};

/** Larger uploads are preceded by a small request, because a long transfer notices an unreachable store late. */
const smallBytes = 256 * 1024;

/** Time for a copy inside the store. */
const copyMs = 120_000;

type BucketOptions = {
  /** Prefix of all keys in the bucket, which callers do not see; empty or ending in a slash. */
  readonly prefix?: string;
  /** The endpoint of the store in presigned URLs. */
  readonly publicEndpoint?: string | undefined;
  readonly observe?: ObserveRequest | undefined;
  /** Time for each small request; by default, five seconds at most. */
  readonly time?: RequestTime;
};

export function openBucket(access: StoreAccess, options: BucketOptions = {}): Bucket {
  const { prefix = "", publicEndpoint, observe, time } = options;
  const sendUnprefixed = requestSender(access, observe, time);
  const sendRequest: SendRequest = (request) =>
    sendUnprefixed(request.key === "" ? request : { ...request, key: prefix + request.key });
  const send = (request: StoreRequest) =>
    sendRequest(request).catch((error) => {
      throw toFileError(error);
    });
  const check = async () => void (await send({ method: "HEAD", key: "" }));

  return {
    check,

    get: (key, { range, ...options } = {}) =>
      send({ method: "GET", key, ...options, ...(range && { headers: { range: rangeHeader(range) } }) }),

    async put(key, body, options) {
      if (body.size > smallBytes) await check();
      const time = body.size > smallBytes ? transferTime(body.size) : {};
      const sent = sendRequest({ method: "PUT", key, body, headers: putHeaders(options), ...time });
      return await sent.then(
        () => true,
        (error) => {
          if (options.once && error instanceof StoreRefusal && error.status === 412) return false;
          throw toFileError(error);
        },
      );
    },

    async copy(key, newKey) {
      await check();
      const headers = { "x-amz-copy-source": `/${access.bucket}/${prefix}${key}` };
      const response = await send({ method: "PUT", key: newKey, headers, attemptMs: copyMs, totalMs: copyMs });
      // an error after the start of the response is in its body
      const code = /<Error>[\s\S]*<Code>(\w+)<\/Code>/.exec(await response.text())?.[1];
      if (code) throw toFileError(new StoreRefusal(500, code));
    },

    async remove(key) {
      await send({ method: "DELETE", key }).catch(ifMissing(undefined));
    },

    async *list(folder, delimiter) {
      let token: string | undefined;
      do {
        const query = { "list-type": "2", prefix: prefix + folder, ...(delimiter && { delimiter }) };
        const page = token === undefined ? query : { ...query, "continuation-token": token };
        const text = await (await send({ method: "GET", key: "", query: page })).text();
        yield parsePage(text, prefix.length);
        token = textOf(text, "NextContinuationToken");
      } while (token !== undefined);
    },

    async presign(key, query, seconds) {
      const endpoint = publicEndpoint ?? access.endpoint;
      const expiring = { ...query, "X-Amz-Expires": `${seconds}` };
      const url = urlOf({ ...access, endpoint }, { key: prefix + key, query: expiring });
      const signed = await new AwsV4Signer({ ...access, service: "s3", method: "GET", url, signQuery: true }).sign();
      return signed.url.href;
    },
  };
}

/** Half a minute, plus a second for each megabyte. */
function transferTime(sizeBytes: number) {
  const attemptMs = 30_000 + sizeBytes / 1_000;
  return { attemptMs, totalMs: 2 * attemptMs };
}

const rangeHeader = ({ start, end }: ByteRange) => `bytes=${start}-${Number.isFinite(end) ? end - 1 : ""}`;

const putHeaders = ({ sha256, once = false }: PutOptions) => ({
  "x-amz-content-sha256": sha256,
  "x-amz-meta-sha256": sha256,
  ...(once && { "if-none-match": "*" }),
});

const parsePage = (text: string, prefixLength: number): ObjectPage => ({
  objects: [...text.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, object]) => ({
    key: (textOf(object!, "Key") ?? "").slice(prefixLength),
    sizeBytes: Number(textOf(object!, "Size")),
    writtenAt: Date.parse(textOf(object!, "LastModified") ?? ""),
  })),
  folders: [...text.matchAll(/<CommonPrefixes>([\s\S]*?)<\/CommonPrefixes>/g)].map(([, folder]) =>
    (textOf(folder!, "Prefix") ?? "").slice(prefixLength),
  ),
});

/** The text of the first element with this name. Our keys contain nothing that XML escapes; tokens may. */
function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll("&quot;", '"').replaceAll("&#34;", '"').replaceAll("&amp;", "&");
}
