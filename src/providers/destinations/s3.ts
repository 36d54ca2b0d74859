import { AwsV4Signer } from "aws4fetch";
import { z } from "zod";
import { DeliveryError, type DeliveryResult, type Sender, type Sending } from "../../domain/destinations/deliveries.ts";
import type { Fetcher, HttpAnswer, HttpRequest } from "../../domain/files/fetcher.ts";
import { sha256Of } from "../../platform/values.ts";
import { retryAfter, sendRequest } from "./answers.ts";

const Settings = z.object({
  endpoint: z.string().optional(),
  region: z.string().default("us-east-1"),
  bucket: z.string(),
  prefix: z.string().default(""),
  accessKeyId: z.string(),
  forcePathStyle: z.boolean().optional(),
});
const Secrets = z.object({ secretAccessKey: z.string() });

const mebibyte = 1024 ** 2;
/** Larger files are sent in parts, of which an interruption loses only one. */
const maxWholeBytes = 16 * mebibyte;
/** S3 takes 10,000 parts. */
const partBytesOf = (sizeBytes: number): number =>
  Math.max(8 * mebibyte, Math.ceil(sizeBytes / 10_000 / mebibyte) * mebibyte);

type Part = { readonly number: number; readonly etag: string; readonly sizeBytes: number };

/** Uploads to any store with S3's API. The key is the same in each attempt, so that an object is never doubled. */
export const s3Sender = (fetcher: Pick<Fetcher, "send">): Sender => ({
  plan({ file, settings: given, delivery }) {
    const place = placeOf(given, delivery.wishes.key);
    const { sizeBytes, mimeType } = file;
    const whole = {
      method: "PUT",
      url: place.url,
      contentType: mimeType,
      bytes: sizeBytes,
      signedBy: ["authorization"],
    };
    const { result } = place;
    if (sizeBytes <= maxWholeBytes) return { requests: [whole], result };
    const partBytes = partBytesOf(sizeBytes);
    const parts = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, at) => ({
      ...{ method: "PUT", url: `${place.url}?partNumber=${at + 1}`, signedBy: ["authorization"] },
      bytes: Math.min(partBytes, sizeBytes - at * partBytes),
    }));
    const begin = {
      method: "POST",
      url: `${place.url}?uploads`,
      contentType: mimeType,
      bytes: 0,
      signedBy: ["authorization"],
    };
    const end = { method: "POST", url: place.url, contentType: "application/xml", signedBy: ["authorization"] };
    return { requests: [begin, ...parts.slice(0, maxPlannedParts), end], result };
  },

  send: (sending) => new Upload(fetcher, sending).run(),
});

const maxPlannedParts = 20;

function placeOf(given: Sending["settings"], name = "") {
  const { endpoint, region, bucket, prefix, forcePathStyle = endpoint !== undefined } = Settings.parse(given);
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const key = prefix + name;
  const folder = base.pathname.replace(/\/+$/, "");
  if (!forcePathStyle) base.hostname = `${bucket}.${base.hostname}`;
  base.search = "";
  base.hash = "";
  base.pathname = [folder, ...(forcePathStyle ? [bucket] : []), ...key.split("/").map(encode)].join("/");
  return { url: base.href, result: { url: base.href, bucket, key } satisfies DeliveryResult };
}

/** As S3 signs it: all but letters, digits and four signs. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

class Upload {
  readonly #fetcher: Pick<Fetcher, "send">;
  readonly #sending: Sending;
  readonly #place: ReturnType<typeof placeOf>;

  constructor(fetcher: Pick<Fetcher, "send">, sending: Sending) {
    this.#fetcher = fetcher;
    this.#sending = sending;
    this.#place = placeOf(sending.settings, sending.delivery.wishes.key);
  }

  async run(): Promise<DeliveryResult> {
    const { delivery, file } = this.#sending;
    // an earlier attempt may have ended after its last byte
    if (delivery.attempt > 1 && (await this.#exists())) return this.#result(200);
    return file.sizeBytes <= maxWholeBytes ? await this.#putWhole() : await this.#putParts();
  }

  #result(status: number): DeliveryResult {
    return { ...this.#place.result, status };
  }

  /** True if the object is this file. A key that may only write gets no answer: the file is then sent again. */
  async #exists(): Promise<boolean> {
    const { file } = this.#sending;
    const { status, headers } = await this.#ask("HEAD", {});
    return status === 200 && headers.get("x-amz-meta-sha256") === (await file.sha256());
  }

  async #putWhole(): Promise<DeliveryResult> {
    const { file, save, delivery } = this.#sending;
    const body = await this.#bytes(0, file.sizeBytes);
    const answer = this.#require(await this.#ask("PUT", { body, headers: await this.#metadata() }));
    await save({ ...delivery.progress, sentBytes: file.sizeBytes });
    return this.#result(answer.status);
  }

  async #putParts(): Promise<DeliveryResult> {
    const { uploadId, parts } = await this.#begin();
    try {
      return await this.#finish(uploadId, parts);
    } catch (error) {
      // the store charges for unfinished parts until they are removed
      const isOver = error instanceof DeliveryError && error.retry === "never";
      if (isOver) await this.#ask("DELETE", { query: { uploadId } }).catch(() => {});
      throw error;
    }
  }

  async #finish(uploadId: string, parts: readonly Part[]): Promise<DeliveryResult> {
    const { file, save } = this.#sending;
    const partBytes = partBytesOf(file.sizeBytes);
    const known = new Map(parts.map((part) => [part.number, part]));
    const sent: Part[] = [];
    for (let start = 0, number = 1; start < file.sizeBytes; start += partBytes, number++) {
      const end = Math.min(start + partBytes, file.sizeBytes);
      const found = known.get(number);
      if (found?.sizeBytes === end - start) {
        sent.push(found);
        continue;
      }
      const body = await this.#bytes(start, end);
      const answer = await this.#ask("PUT", { query: { partNumber: `${number}`, uploadId }, body });
      sent.push({ number, etag: this.#require(answer).headers.get("etag") ?? "", sizeBytes: end - start });
      await save({ uploadId, sentBytes: end, sha256: await file.sha256() });
    }
    const list = sent.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = new TextEncoder().encode(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`);
    const answer = await this.#ask("POST", { query: { uploadId }, body, seconds: 300 });
    // an error after the start of the answer is in its body
    const isFailed = /<Error>/.test(answer.text);
    return this.#result(this.#require(isFailed ? { ...answer, status: 500 } : answer).status);
  }

  /** The upload of an earlier attempt with its parts, or a new one, whose id is stored before a byte is sent. */
  async #begin(): Promise<{ readonly uploadId: string; readonly parts: readonly Part[] }> {
    const { delivery, file, save } = this.#sending;
    const left = delivery.progress.uploadId ?? (delivery.attempt > 1 ? await this.#unnamed() : undefined);
    const parts = left === undefined ? undefined : await this.#partsOf(left);
    if (left !== undefined && parts) {
      await save({ ...delivery.progress, uploadId: left, sha256: await file.sha256() });
      return { uploadId: left, parts };
    }
    const answer = this.#require(await this.#ask("POST", { query: { uploads: "" }, headers: await this.#metadata() }));
    const uploadId = textOf(answer.text, "UploadId");
    if (!uploadId)
      throw new DeliveryError(
        { code: "no_upload_id", status: answer.status, message: "The store named no upload." },
        "later",
      );
    await save({ uploadId, sha256: await file.sha256() });
    return { uploadId, parts: [] };
  }

  /** An upload whose id an earlier attempt could not store. */
  async #unnamed(): Promise<string | undefined> {
    const { key } = this.#place.result;
    const { status, text } = await this.#ask("GET", { query: { uploads: "", prefix: key }, ofBucket: true });
    const uploads = status === 200 ? [...text.matchAll(/<Upload>([\s\S]*?)<\/Upload>/g)] : [];
    const own = uploads.findLast(([, upload = ""]) => textOf(upload, "Key") === key);
    return own?.[1] && textOf(own[1], "UploadId");
  }

  /** Undefined if the upload is unknown. */
  async #partsOf(uploadId: string): Promise<readonly Part[] | undefined> {
    const parts: Part[] = [];
    let marker = "0";
    for (;;) {
      const query = { uploadId, ...(marker !== "0" && { "part-number-marker": marker }) };
      const answer = await this.#ask("GET", { query });
      if (answer.status === 404 && codeOf(answer) !== "NoSuchBucket") return undefined;
      const { text } = this.#require(answer);
      for (const [, part = ""] of text.matchAll(/<Part>([\s\S]*?)<\/Part>/g)) {
        const [number, sizeBytes] = [Number(textOf(part, "PartNumber")), Number(textOf(part, "Size"))];
        parts.push({ number, sizeBytes, etag: textOf(part, "ETag") ?? "" });
      }
      const next = textOf(text, "NextPartNumberMarker");
      if (textOf(text, "IsTruncated") !== "true" || !next || next === marker) return parts;
      marker = next;
    }
  }

  async #metadata(): Promise<Record<string, string>> {
    const { file } = this.#sending;
    return { "content-type": file.mimeType, "x-amz-meta-sha256": await file.sha256() };
  }

  async #bytes(start: number, end: number): Promise<Uint8Array> {
    return await new Response(await this.#sending.file.read(start, end)).bytes();
  }

  async #ask(
    method: HttpRequest["method"],
    { query = {}, headers = {}, body = new Uint8Array(), ofBucket = false, seconds = 0 }: AskOptions,
  ): Promise<HttpAnswer> {
    const { settings: given, secrets, signal } = this.#sending;
    const url = new URL(ofBucket ? placeOf({ ...given, prefix: "" }).url : this.#place.url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const { region, accessKeyId } = Settings.parse(given);
    const { secretAccessKey } = Secrets.parse(secrets);
    const signed = await new AwsV4Signer({
      ...{ accessKeyId, secretAccessKey, region, service: "s3", method, url: url.href },
      headers: { ...headers, "x-amz-content-sha256": sha256Of(body) },
    }).sign();
    const all = { ...Object.fromEntries(signed.headers), ...headers };
    const isSent = method === "PUT" || method === "POST";
    const request = {
      method,
      headers: { ...all, ...(isSent && { "content-length": `${body.byteLength}` }) },
      ...(isSent && { body }),
    };
    return await sendRequest(this.#fetcher, signed.url.href, request, {
      signal,
      bytes: body.byteLength + seconds * 100_000,
    });
  }

  /** Throws the store's refusal. */
  #require(answer: HttpAnswer): HttpAnswer {
    if (answer.status >= 200 && answer.status < 300) return answer;
    const code = codeOf(answer) || `http_${answer.status}`;
    const retry = isPassing(code) ? "later" : retryAfter(answer);
    throw new DeliveryError(
      { code, status: answer.status, message: sentenceOf(code, answer, this.#place.result) },
      retry,
    );
  }
}

type AskOptions = {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly ofBucket?: boolean;
  /** Time beyond that for the body. */
  readonly seconds?: number;
};

const codeOf = ({ text }: HttpAnswer): string => /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? "";

/** Codes with the status of a bad request whose cause passes: a broken transfer, or a lost upload that begins again. */
const passing = [
  "BadDigest",
  "IncompleteBody",
  "RequestTimeout",
  "XAmzContentSHA256Mismatch",
  "NoSuchUpload",
  "NoSuchKey",
  "SlowDown",
  "OperationAborted",
];
const isPassing = (code: string): boolean => passing.includes(code);

function sentenceOf(code: string, { status }: HttpAnswer, { bucket }: { readonly bucket: string }): string {
  switch (code) {
    case "NoSuchBucket":
      return `The store has no bucket ${bucket}.`;
    case "InvalidAccessKeyId":
    case "SignatureDoesNotMatch":
      return "The store refuses the credentials: store the destination again with the right ones.";
    case "AccessDenied":
    case "http_403":
      return `The credentials may not write to the bucket ${bucket}.`;
    case "PermanentRedirect":
    case "AuthorizationHeaderMalformed":
      return "The bucket is in another region: store the destination again with it.";
    case "RequestTimeTooSkewed":
      return "The clocks of the service and of the store differ too much.";
    case "EntityTooLarge":
      return "The file is larger than the store takes.";
    default:
      return `The store answered ${`${status} ${code.startsWith("http_") ? "" : code}`.trim()}.`;
  }
}

/** The text of the first element with this name. */
function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text
    ?.replace(/&(?:quot|#34);/g, '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
