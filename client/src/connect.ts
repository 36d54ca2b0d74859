import { hc } from "hono/client";
import type { Api, Asset, Batch, BatchFilm, BatchOrder, BatchReport, ExportJob, Film, FilmOrder, Rpc } from "./api.ts";
import {
  type BatchFilmsOptions,
  type BatchReference,
  batchFilms,
  type OrderBatchOptions,
  orderBatch,
  type ValidateBatchOptions,
  validateBatch,
  waitForBatch,
} from "./batches.ts";
import { Connection, type ConnectOptions } from "./connection.ts";
import { type DownloadOptions, downloadExport } from "./download.ts";
import { type OrderFilmOptions, orderFilm, waitForFilm } from "./films.ts";
import type { UploadSource } from "./source.ts";
import { type UploadedMedia, type UploadOptions, type UploadTarget, uploadFile } from "./upload.ts";
import { type WaitOptions, waitForExport } from "./wait.ts";

type UploadFile = {
  (
    target: UploadTarget & { readonly workId?: undefined },
    source: UploadSource,
    options?: UploadOptions,
  ): Promise<Asset>;
  (
    target: UploadTarget & { readonly workId: string },
    source: UploadSource,
    options?: UploadOptions,
  ): Promise<UploadedMedia>;
};

type DownloadExport = {
  (exportId: string, options: DownloadOptions & { readonly to: NonNullable<DownloadOptions["to"]> }): Promise<void>;
  (exportId: string, options?: DownloadOptions & { readonly to?: undefined }): Promise<Blob>;
};

/** The routes as typed functions under `api`, and functions that need several requests. */
export type Client = Rpc & {
  /** Sends a request to a path of the service, with the token. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Uploads an asset, or media of a work. */
  readonly uploadFile: UploadFile;
  /** Waits until an export is done. */
  readonly waitForExport: (exportId: string, options?: WaitOptions) => Promise<ExportJob>;
  /** Orders a film from a brief. */
  readonly orderFilm: (projectId: string, order: FilmOrder, options?: OrderFilmOptions) => Promise<Film>;
  /** Waits until a film is done, or waits for its owner. */
  readonly waitForFilm: (film: Pick<Film, "id" | "projectId">, options?: WaitOptions<Film>) => Promise<Film>;
  /** Validates a table of films: nothing is stored, rendered or paid. */
  readonly validateBatch: (
    projectId: string,
    order: BatchOrder,
    options?: ValidateBatchOptions,
  ) => Promise<BatchReport>;
  /** Orders a film from each row of a table. */
  readonly orderBatch: (projectId: string, order: BatchOrder, options?: OrderBatchOptions) => Promise<Batch>;
  /** Waits until a batch has ended, or waits for its owner. */
  readonly waitForBatch: (batch: BatchReference, options?: WaitOptions<Batch>) => Promise<Batch>;
  /** The films of a batch, in the order of its table. */
  readonly batchFilms: (batch: BatchReference, options?: BatchFilmsOptions) => AsyncGenerator<BatchFilm>;
  /** Downloads the video of a finished export, or of a film by its `exportId`. */
  readonly downloadExport: DownloadExport;
};

/** A client of the service at `url`. */
export function connect(url: string, options: ConnectOptions = {}): Client {
  const connection = new Connection(url, options);
  // safe because hc calls it with a URL and an init only
  const { api } = hc<Api>(connection.baseUrl, { fetch: connection.fetch as typeof globalThis.fetch });
  return {
    api,
    fetch: connection.fetch,
    // safe because the result follows the target
    uploadFile: ((target, source, uploadOptions) =>
      uploadFile(connection, target, source, uploadOptions)) as UploadFile,
    waitForExport: (exportId, waitOptions) => waitForExport(connection, exportId, waitOptions),
    orderFilm: (projectId, order, orderOptions) => orderFilm(connection, projectId, order, orderOptions),
    waitForFilm: (film, waitOptions) => waitForFilm(connection, film, waitOptions),
    validateBatch: (projectId, order, tableOptions) => validateBatch(connection, projectId, order, tableOptions),
    orderBatch: (projectId, order, orderOptions) => orderBatch(connection, projectId, order, orderOptions),
    waitForBatch: (batch, waitOptions) => waitForBatch(connection, batch, waitOptions),
    batchFilms: (batch, filmsOptions) => batchFilms(connection, batch, filmsOptions),
    // safe because the result follows `to`
    downloadExport: ((exportId, downloadOptions) =>
      downloadExport(connection, exportId, downloadOptions)) as DownloadExport,
  };
}
