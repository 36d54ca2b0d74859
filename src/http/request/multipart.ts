import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { formatQuantity } from "../../domain/shared/issue-messages.ts";
import type { ReceivedFile } from "../../engine/ports.ts";
import { DomainError, invalid, isDomainError } from "../../errors.ts";
import { assertSafeText } from "../schemas/json-limits.ts";
import type { Pace } from "./body-limits.ts";

/** A completely received form: one file and its text fields. */
export type Form = {
  readonly file: ReceivedFile;
  /** The client's name, not sanitised. */
  readonly filename: string;
  readonly rawFields: ReadonlyMap<string, readonly string[]>;
};

type FormRules = {
  readonly contentType: string;
  /** The field that holds the file; files in other fields are skipped. */
  readonly fileField: string;
  /** The limit of the whole body. */
  readonly maxBytes: number;
  /** Counts bytes from the first call, and calls `fail` if they arrive too slowly. */
  watchPace(fail: (reason: unknown) => void): Pace;
  receive(bytes: Readable): Promise<ReceivedFile>;
  discard(file: ReceivedFile): Promise<void>;
  onBytes(sizeBytes: number): void;
};

const limits = { files: 4, fields: 128, parts: 132, fieldSize: 64 * 1024, headerPairs: 50, headerSize: 16 * 1024 };

export const noFile = (fileField: string) =>
  new DomainError("validation_error", {
    issues: [{ path: fileField, message: `Send the file in the field ${fileField} of the form.` }],
    sentence: "No file uploaded",
  });

/** For the caller, every error of the parser or the connection means that the form is incomplete. */
function toDomainError(error: unknown): DomainError {
  if (isDomainError(error)) return error;
  const issues = [{ path: "", message: "The form is cut off or broken: its last boundary is missing." }];
  return new DomainError("validation_error", { issues }, { cause: error });
}

type FilePart = { readonly bytes: Readable; readonly filename: string; readonly received: Promise<ReceivedFile> };

/** Streams a form, so that the file is never whole in memory. After an error, no received file remains on disk. */
export async function readForm(body: Readable, rules: FormRules): Promise<Form> {
  const failure = new AbortController();
  const fail = (reason: unknown) => failure.abort(reason);
  const { parser, fields, filePart } = formParser(rules, fail);
  const pace = rules.watchPace(fail);
  try {
    await pipeline(body, byteLimit(rules, pace.count), parser, { signal: failure.signal });
    pace.stop();
    const part = filePart();
    if (!part) throw noFile(rules.fileField);
    const { filename } = part;
    const file = await part.received;
    // browsers send this for an empty file input
    if (filename === "" && file.sizeBytes === 0) throw noFile(rules.fileField);
    return { file, filename, rawFields: fields };
  } catch (error) {
    await discardFile(filePart(), rules);
    throw firstFailure(failure.signal, error);
  } finally {
    pace.stop();
  }
}

/** The first failure aborts the signal; later errors are its consequences. */
function firstFailure(signal: AbortSignal, error: unknown): unknown {
  return signal.aborted ? signal.reason : toDomainError(error);
}

async function discardFile(part: FilePart | undefined, { discard }: FormRules): Promise<void> {
  if (!part) return;
  part.bytes.destroy();
  const [received] = await Promise.allSettled([part.received]);
  if (received.status === "fulfilled") await discard(received.value);
}

type Fail = (reason: unknown) => void;

function formParser(rules: FormRules, fail: Fail) {
  const parser = createParser(rules.contentType);
  const tooMany = (what: string) => () => fail(invalid("", `The form has too many ${what}.`));
  parser.on("filesLimit", tooMany("files")).on("fieldsLimit", tooMany("fields")).on("partsLimit", tooMany("parts"));
  parser.on("error", (error) => fail(toDomainError(error)));
  return { parser, fields: collectFields(parser, fail), filePart: receiveFile(parser, rules, fail) };
}

function receiveFile(
  parser: BusboyInstance,
  { fileField, receive }: FormRules,
  fail: Fail,
): () => FilePart | undefined {
  let part: FilePart | undefined;
  parser.on("file", (name, bytes, filename) => {
    // the failure is reported elsewhere, but an error event without a listener ends the process
    bytes.on("error", () => {});
    if (name !== fileField || part) {
      bytes.resume();
      if (name === fileField) fail(invalid(name, "Must be sent only once."));
      return;
    }
    part = { bytes, filename: unescapeFilename(filename ?? ""), received: receive(bytes) };
    part.received.catch(fail);
  });
  return () => part;
}

function collectFields(parser: BusboyInstance, fail: Fail): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  parser.on("field", (name, value, nameTruncated, valueTruncated) => {
    try {
      if (nameTruncated || valueTruncated)
        throw invalid(name, `Must have at most ${formatQuantity(limits.fieldSize, "bytes")}.`);
      assertSafeText(value, name);
      fields.set(name, [...(fields.get(name) ?? []), value]);
    } catch (error) {
      fail(error);
    }
  });
  return fields;
}

/** Browsers percent-encode only quotes and line breaks (HTML's multipart/form-data encoding), not the percent sign. */
const unescapeFilename = (filename: string) => filename.replace(/%22/g, '"').replace(/%0D|%0A/gi, "\n");

function createParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits });
  } catch {
    throw invalid("", "The Content-Type header of the form names no boundary.");
  }
}

/** Limits the whole body, including a preamble and skipped files. */
function byteLimit({ maxBytes, onBytes }: FormRules, count: (sizeBytes: number) => void): Transform {
  let sizeBytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      count(chunk.byteLength);
      onBytes(chunk.byteLength);
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) done(new DomainError("payload_too_large", { maxBytes }));
      else done(null, chunk);
    },
  });
}
