import { DomainError } from "../../errors.ts";
import { diskFullError, isMissing } from "../../platform/files.ts";

/** An unsuccessful response of the store. Its text is not kept: a refused signature quotes the signed content. */
export class StoreRefusal extends Error {
  override readonly name = "StoreRefusal";

  constructor(
    readonly status: number,
    /** S3's code, such as `NoSuchBucket`; empty for HEAD, whose responses have no body. */
    readonly code: string,
  ) {
    super(`The object store refused with ${`${status} ${code}`.trim()}.`);
  }
}

export async function refusalOf(response: Response): Promise<StoreRefusal> {
  const text = await response.text().catch(() => "");
  return new StoreRefusal(response.status, /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? "");
}

/** Bodies that arrived incomplete, and S3's own timeout, which has the status of a bad request. */
const brokenTransfers = ["BadDigest", "IncompleteBody", "RequestTimeout", "XAmzContentSHA256Mismatch"];

export const isTemporary = ({ status, code }: StoreRefusal): boolean =>
  [429, 500, 502, 503, 504].includes(status) || brokenTransfers.includes(code);

/** Codes of a full store, of Ceph and MinIO. */
const fullStore = ["QuotaExceeded", "XMinioStorageFull"];

const retryAfterSeconds = 5;

/** Maps a failed request to ENOENT, `storage_full` or `unavailable`. Other errors stay unchanged. */
export function toFileError(error: unknown): unknown {
  if (error instanceof DomainError || isMissing(error)) return error;
  if (!(error instanceof StoreRefusal)) return unavailable(error);
  if (error.status === 404 && error.code !== "NoSuchBucket") return missingObject(error);
  return error.status === 507 || fullStore.includes(error.code) ? diskFullError(error) : unavailable(error);
}

export const unavailable = (cause: unknown): DomainError<"unavailable"> =>
  new DomainError("unavailable", { part: "file storage", retryAfterSeconds }, { cause });

const missingObject = (cause: unknown) =>
  Object.assign(new Error("The object does not exist.", { cause }), { code: "ENOENT" });
