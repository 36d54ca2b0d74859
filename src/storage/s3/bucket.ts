import { AwsV4Signer } from "aws4fetch";
import { ifMissing } from "../../platform/missing-file.ts";
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
  /** Of the body, hex: the store checks it and returns it as `x-amz-meta-sha256`. */
  readonly sha256: string;
  /** Leaves an object that exists as it is. */
  readonly once?: boolean;
};

/** Errors: ENOENT for a missing object, `unavailable` or `storage_full`; `unavailable` within five seconds. */
export type Bucket = {
  get(key: string, options?: { readonly range?: ByteRange; readonly signal?: AbortSignal }): Promise<Response>;
  /** Stores the object whole or not at all. False if `once` is set and there is one. */
  put(key: string, body: Blob, options: PutOptions): Promise<boolean>;
  copy(key: string, newKey: string): Promise<void>;
  /** Also for an object that does not exist. */
  remove(key: string): Promise<void>;
  /** Pages of at most 1,000 objects whose keys begin with `folder`; with `delimiter`, folders in place of their objects. */
  list(folder: string, delimiter?: string): AsyncGenerator<ObjectPage>;
  /** Resolves if the store responds and knows the bucket and the credentials. */
  check(): Promise<void>;
  /** A URL of the object for everyone, for `seconds`; its response has the headers that `query` names. */
  presign(key: string, query: Readonly<Record<string, string>>, seconds: number): Promise<string>;
};

/** Larger uploads are preceded by a small request, because a store that is away shows late in a long transfer. */
const smallBytes = 256 * 1024;

/** Time for a copy inside the store. */
const copyMs = 120_000;

type BucketOptions = {
  /** Begins the keys of all objects, of which callers know only the rest; empty or ending in a slash. */
  readonly prefix?: string;
  /** The address of the store in presigned URLs. */
  readonly publicEndpoint?: string | undefined;
  readonly observe?: ObserveRequest | undefined;
  /** For each small request: by default five seconds at most. */
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
      // an error after the response has begun comes in its body
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

/** Half a minute, and a second for each megabyte. */
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

/** The text of the first element with this name. Keys of ours hold nothing that XML escapes; tokens may. */
function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll("&quot;", '"').replaceAll("&#34;", '"').replaceAll("&amp;", "&");
}
