import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { requestSender, type StoreAccess } from "../../src/storage/s3/request.ts";

type Multipart = {
  readonly id: string;
  readonly key: string;
  readonly sha256: string | null;
  readonly parts: Map<number, Uint8Array>;
};

type StoredObject = { readonly bytes: Uint8Array; readonly sha256: string | null; writtenAt: number };

/** What happens to a request instead of its response; undefined for the response. */
type Fault = (request: Request, respond: () => Response) => Response | Promise<Response> | undefined;

type Credentials = Omit<StoreAccess, "endpoint" | "bucket">;

const testCredentials: Credentials = { region: "us-east-1", accessKeyId: "test-key", secretAccessKey: "test-secret" };

/** Few, so that tests meet several pages. */
const usualPageSize = 3;

/**
 * The parts of S3 that the service uses, in memory. Checks signatures (version 4, in headers and URLs) and hashes of
 * bodies, and can fail on demand.
 */
export function s3Server({
  hostname = "127.0.0.1",
  port: wantedPort = 0,
  credentials = testCredentials,
  pageSize = usualPageSize,
} = {}) {
  const buckets = new Map<string, Map<string, StoredObject>>();
  const uploads = new Map<string, Multipart>();
  const requests: string[] = [];
  let fault: Fault | undefined;

  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    requests.push(`${request.method} ${url.pathname}`);
    const respond = async () => {
      const body = new Uint8Array(await request.arrayBuffer());
      return (
        signatureFault(request, url, credentials) ??
        bodyFault(request, body) ??
        handle(request, url, body, { buckets, uploads, pageSize })
      );
    };
    const response = await respond();
    return (await fault?.(request, () => response)) ?? response;
  };

  const start = (port = wantedPort) =>
    Bun.serve({ port, hostname, fetch: answer, idleTimeout: 0, error: () => undefined });
  let server = start();
  const { port = 0 } = server;
  const newBucket = (): StoreAccess => {
    const bucket = `bucket-${crypto.randomUUID()}`;
    buckets.set(bucket, new Map());
    return { endpoint: `http://127.0.0.1:${port}`, bucket, ...credentials };
  };
  return {
    newBucket,
    /** The multipart uploads that are neither completed nor aborted. */
    uploads,
    /** `METHOD /bucket/key` of all requests. */
    requests,
    objectsOf: ({ bucket }: StoreAccess) => buckets.get(bucket)!, // safe because tests name their own buckets
    failWith(next: Fault | undefined) {
      fault = next;
    },
    stop: () => server.stop(true),
    restart() {
      server = start(port);
    },
  };
}

export type S3Server = ReturnType<typeof s3Server>;

/** A new bucket on the server that TEST_S3_ENDPOINT names; undefined without one. */
export async function realBucket(): Promise<StoreAccess | undefined> {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY_ID = "", TEST_S3_SECRET_ACCESS_KEY = "" } = process.env;
  if (!endpoint) return undefined;
  const access = {
    endpoint,
    bucket: `reelwright-test-${crypto.randomUUID()}`,
    region: process.env.TEST_S3_REGION ?? "us-east-1",
    accessKeyId: TEST_S3_ACCESS_KEY_ID,
    secretAccessKey: TEST_S3_SECRET_ACCESS_KEY,
  };
  await requestSender(access)({ method: "PUT", key: "" });
  return access;
}

const failure = (status: number, code: string) =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, { status });

function handle(
  request: Request,
  url: URL,
  body: Uint8Array<ArrayBuffer>,
  { buckets, uploads, pageSize }: Stored & { readonly pageSize: number },
): Response {
  const [, name = "", ...path] = url.pathname.split("/");
  const key = path.join("/");
  const objects = buckets.get(name);
  if (key === "" && request.method === "PUT") return createBucket(buckets, name);
  if (!objects) return failure(404, "NoSuchBucket");
  if (url.searchParams.has("uploads") || url.searchParams.has("uploadId")) {
    return multipart(request, url.searchParams, body, { key, objects, uploads });
  }
  if (request.method === "DELETE") return new Response(null, { status: objects.delete(key) ? 204 : 204 });
  if (request.method === "PUT") return put(request, body, objects, key);
  if (key === "") return request.method === "HEAD" ? new Response() : list(url.searchParams, objects, pageSize);
  return get(request, url, objects.get(key));
}

type Stored = {
  readonly buckets: Map<string, Map<string, StoredObject>>;
  readonly uploads: Map<string, Multipart>;
};

const xml = (text: string) => new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`);

/** Uploads in parts, as Amazon documents them; parts may have any size. */
function multipart(
  { method, headers }: Request,
  query: URLSearchParams,
  body: Uint8Array,
  {
    key,
    objects,
    uploads,
  }: { readonly key: string; readonly objects: Map<string, StoredObject> } & Pick<Stored, "uploads">,
): Response {
  if (query.has("uploads")) {
    if (method === "GET") {
      const found = [...uploads.values()].filter((each) => each.key.startsWith(query.get("prefix") ?? ""));
      const list = found.map((each) => `<Upload><Key>${each.key}</Key><UploadId>${each.id}</UploadId></Upload>`);
      return xml(`<ListMultipartUploadsResult>${list.join("")}</ListMultipartUploadsResult>`);
    }
    const id = crypto.randomUUID();
    uploads.set(id, { id, key, sha256: headers.get("x-amz-meta-sha256"), parts: new Map() });
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  const upload = uploads.get(query.get("uploadId") ?? "");
  if (!upload) return failure(404, "NoSuchUpload");
  if (method === "DELETE") return new Response(null, { status: uploads.delete(upload.id) ? 204 : 404 });
  const numbered = [...upload.parts].sort(([a], [b]) => a - b);
  if (method === "PUT") {
    upload.parts.set(Number(query.get("partNumber")), body);
    return new Response(null, { headers: { etag: `"${sha256Hex(body).slice(0, 32)}"` } });
  }
  if (method === "GET") {
    const list = numbered.map(
      ([number, part]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${sha256Hex(part).slice(0, 32)}&quot;</ETag><Size>${part.length}</Size></Part>`,
    );
    return xml(`<ListPartsResult><IsTruncated>false</IsTruncated>${list.join("")}</ListPartsResult>`);
  }
  const named = [...new TextDecoder().decode(body).matchAll(/<ETag>"(\w+)"<\/ETag>/g)].map(([, etag]) => etag);
  const known = numbered.map(([, part]) => sha256Hex(part).slice(0, 32));
  if (named.join() !== known.join()) return failure(400, "InvalidPart");
  const bytes = Buffer.concat(numbered.map(([, part]) => part));
  objects.set(key, { bytes, sha256: upload.sha256, writtenAt: Date.now() });
  uploads.delete(upload.id);
  return xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
}

function createBucket(buckets: Map<string, Map<string, StoredObject>>, name: string): Response {
  if (buckets.has(name)) return failure(409, "BucketAlreadyOwnedByYou");
  buckets.set(name, new Map());
  return new Response();
}

function put(request: Request, body: Uint8Array, objects: Map<string, StoredObject>, key: string): Response {
  const { headers } = request;
  const source = headers.get("x-amz-copy-source");
  if (source) {
    const original = objects.get(source.split("/").slice(2).join("/"));
    if (!original) return failure(404, "NoSuchKey");
    objects.set(key, { ...original, writtenAt: Date.now() });
    return new Response("<CopyObjectResult></CopyObjectResult>");
  }
  if (headers.get("if-none-match") === "*" && objects.has(key)) return failure(412, "PreconditionFailed");
  objects.set(key, { bytes: body, sha256: headers.get("x-amz-meta-sha256"), writtenAt: Date.now() });
  return new Response();
}

function get({ headers: requested }: Request, { searchParams: query }: URL, found: StoredObject | undefined): Response {
  if (!found) return failure(404, "NoSuchKey");
  const { bytes, sha256, writtenAt } = found;
  const headers = {
    ...(sha256 !== null && { "x-amz-meta-sha256": sha256 }),
    "last-modified": new Date(writtenAt).toUTCString(),
    "content-type": query.get("response-content-type") ?? "application/octet-stream",
    "content-disposition": query.get("response-content-disposition") ?? "",
  };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(requested.get("range") ?? "") ?? [];
  if (first === undefined) return new Response(bytes.slice(), { headers });
  if (Number(first) >= bytes.length) return failure(416, "InvalidRange");
  const part = bytes.slice(Number(first), last ? Number(last) + 1 : undefined);
  return new Response(part, { status: 206, headers });
}

function list(query: URLSearchParams, objects: ReadonlyMap<string, StoredObject>, pageSize: number): Response {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter");
  const after = query.get("continuation-token") ?? "";
  const found = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const folderOf = (key: string) => {
    const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    return end < 0 ? undefined : key.slice(0, end + 1);
  };
  const page = found.slice(0, pageSize);
  const contents = page.map(([key, { bytes, writtenAt }]) =>
    folderOf(key) === undefined
      ? `<Contents><Key>${key}</Key><LastModified>${new Date(writtenAt).toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`
      : `<CommonPrefixes><Prefix>${folderOf(key)}</Prefix></CommonPrefixes>`,
  );
  const next = found.length > pageSize ? `<NextContinuationToken>${page.at(-1)![0]}</NextContinuationToken>` : "";
  return new Response(`<ListBucketResult>${[...new Set(contents)].join("")}${next}</ListBucketResult>`);
}

function bodyFault({ headers }: Request, body: Uint8Array): Response | undefined {
  const declared = headers.get("x-amz-content-sha256") ?? "UNSIGNED-PAYLOAD";
  const isRight = declared === "UNSIGNED-PAYLOAD" || declared === sha256Hex(body);
  return isRight ? undefined : failure(400, "XAmzContentSHA256Mismatch");
}

/** Computes the signature as Amazon documents it, apart from the client's own code. */
function signatureFault(request: Request, url: URL, credentials: Credentials): Response | undefined {
  const header = request.headers.get("authorization");
  const field = (name: string) => new RegExp(`${name}=([^,\\s]+)`).exec(header ?? "")?.[1] ?? "";
  const query = url.searchParams;
  const given = header ? field("Signature") : (query.get("X-Amz-Signature") ?? "");
  const signedHeaders = header ? field("SignedHeaders") : (query.get("X-Amz-SignedHeaders") ?? "");
  const credential = header ? field("Credential") : (query.get("X-Amz-Credential") ?? "");
  const date = (header ? request.headers.get("x-amz-date") : query.get("X-Amz-Date")) ?? "";
  const [keyId, day = "", region = "", service = ""] = credential.split("/");
  if (keyId !== credentials.accessKeyId) return failure(403, "InvalidAccessKeyId");

  const canonicalQuery = [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(encodeStrictly).join("="))
    .sort()
    .join("&");
  const canonicalHeaders = signedHeaders.split(";").map((name) => `${name}:${request.headers.get(name) ?? ""}\n`);
  const bodyHash = header ? request.headers.get("x-amz-content-sha256") : "UNSIGNED-PAYLOAD";
  const canonical = [request.method, url.pathname, canonicalQuery, canonicalHeaders.join(""), signedHeaders, bodyHash];
  const scope = [day, region, service, "aws4_request"];
  const text = ["AWS4-HMAC-SHA256", date, scope.join("/"), sha256Hex(canonical.join("\n"))].join("\n");
  const secret: Buffer = Buffer.from(`AWS4${credentials.secretAccessKey}`);
  const signingKey = scope.reduce((key, part) => createHmac("sha256", key).update(part).digest(), secret);
  const expected = createHmac("sha256", signingKey).update(text).digest("hex");
  const isRight = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  if (!isRight) return failure(403, "SignatureDoesNotMatch");
  const signedAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, "$1-$2-$3T$4:$5:"));
  const seconds = header ? 15 * 60 : Number(query.get("X-Amz-Expires"));
  return Math.abs(Date.now() - signedAt) > seconds * 1000 ? failure(403, "AccessDenied") : undefined;
}

const sha256Hex = (data: Uint8Array | string) => createHash("sha256").update(data).digest("hex");

const encodeStrictly = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
