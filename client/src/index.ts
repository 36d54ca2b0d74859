export type {
  Asset,
  Batch,
  BatchFilm,
  BatchOrder,
  BatchReport,
  ErrorBody,
  ExportJob,
  Film,
  FilmOrder,
  Tokens,
} from "./api.ts";
export type {
  BatchFilmsOptions,
  BatchReference,
  OrderBatchOptions,
  TableOptions,
  ValidateBatchOptions,
} from "./batches.ts";
export { type Client, connect } from "./connect.ts";
export type { ConnectOptions, Session } from "./connection.ts";
export type { DownloadOptions, DownloadProgress } from "./download.ts";
export {
  type AnyApiError,
  ApiError,
  BatchFailedError,
  type ErrorCode,
  type ErrorDetails,
  ExportFailedError,
  FilmFailedError,
  type Issue,
  type Quota,
} from "./errors.ts";
export type { FilmKeys, OrderFilmOptions } from "./films.ts";
export type { UploadSource } from "./source.ts";
export { unwrap } from "./unwrap.ts";
export type { MediaSlot, UploadedMedia, UploadOptions, UploadProgress, UploadTarget } from "./upload.ts";
export type { WaitOptions } from "./wait.ts";
