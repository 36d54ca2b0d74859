import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { ReceivedFile } from "../../domain/files/file-store.ts";
import { DomainError, invalid, isDomainError } from "../../errors.ts";
import { requireSaneText } from "./json-limits.ts";

/** One file that has arrived whole, and the text fields beside it. */
export type Form = {
  readonly file: ReceivedFile;
  /** As the caller named it, untidied. */
  readonly filename: string;
  readonly fields: ReadonlyMap<string, readonly string[]>;
};

export type FormRules = {
  readonly contentType: string;
  /** The one field that holds a file; files in others are passed over. */
  readonly fileField: string;
  /** Of the whole body. */
  readonly maxBytes: number;
  receive(bytes: Readable): Promise<ReceivedFile>;
  discard(file: ReceivedFile): Promise<void>;
  onBytes(sizeBytes: number): void;
};

const limits = { files: 4, fields: 128, parts: 132, fieldSize: 64 * 1024, headerPairs: 50, headerSize: 16 * 1024 };

export const noFile = (fileField: string) =>
  new DomainError("validation_error", {
    issues: [{ path: fileField, message: "Send the file in this field of the form." }],
    sentence: "No file uploaded",
  });

/** The parser and the connection fail in words of their own: to the caller, all of them mean the same. */
function asFailure(error: unknown): DomainError {
  if (isDomainError(error)) return error;
  const issues = [{ path: "", message: "The form is cut off or broken: its last boundary is missing." }];
  return new DomainError("validation_error", { issues }, { cause: error });
}

type FilePart = { readonly bytes: Readable; readonly filename: string; readonly received: Promise<ReceivedFile> };

/** Reads a form as it comes in, never holding the file. Whatever goes wrong, no received file is left. */
export async function readForm(body: Readable, rules: FormRules): Promise<Form> {
  const failure = new AbortController();
  const { parser, fields, filePart } = formParser(rules, (reason) => failure.abort(reason));
  try {
    await pipeline(body, meter(rules), parser, { signal: failure.signal });
    const part = filePart();
    if (!part) throw noFile(rules.fileField);
    const { filename } = part;
    const file = await part.received;
    // a browser sends this for a file input that was left empty
    if (filename === "" && file.sizeBytes === 0) throw noFile(rules.fileField);
    return { file, filename, fields };
  } catch (error) {
    await dropFile(filePart(), rules);
    throw reasonOf(failure.signal, error);
  }
}

/** What failed first is the reason: the rest only follows from it. */
function reasonOf(signal: AbortSignal, error: unknown): unknown {
  return signal.aborted ? signal.reason : asFailure(error);
}

async function dropFile(part: FilePart | undefined, { discard }: FormRules): Promise<void> {
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
  parser.on("error", (error) => fail(asFailure(error)));
  return { parser, fields: takeTexts(parser, fail), filePart: takeFile(parser, rules, fail) };
}

function takeFile(parser: BusboyInstance, { fileField, receive }: FormRules, fail: Fail): () => FilePart | undefined {
  let part: FilePart | undefined;
  parser.on("file", (name, bytes, filename) => {
    // whatever fails is told elsewhere too, but an error that nobody hears ends the process
    bytes.on("error", () => {});
    if (name !== fileField || part) {
      bytes.resume();
      if (name === fileField) fail(invalid(name, "Given more than once."));
      return;
    }
    part = { bytes, filename: unescaped(filename ?? ""), received: receive(bytes) };
    part.received.catch(fail);
  });
  return () => part;
}

function takeTexts(parser: BusboyInstance, fail: Fail): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  parser.on("field", (name, value, nameCut, valueCut) => {
    try {
      if (nameCut || valueCut) throw invalid(name, `Longer than ${limits.fieldSize} bytes.`);
      requireSaneText(value, name);
      fields.set(name, [...(fields.get(name) ?? []), value]);
    } catch (error) {
      fail(error);
    }
  });
  return fields;
}

/** Browsers write these three characters so; a percent sign of the name itself stays as it is. */
const unescaped = (filename: string) => filename.replace(/%22/g, '"').replace(/%0D|%0A/gi, "\n");

function createParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits });
  } catch {
    throw invalid("", "The Content-Type header of the form names no boundary.");
  }
}

/** Counts all bytes, so that neither a preamble nor a stray file can go on for ever. */
function meter({ maxBytes, onBytes }: FormRules): Transform {
  let sizeBytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      onBytes(chunk.byteLength);
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) done(new DomainError("payload_too_large", { maxBytes }));
      else done(null, chunk);
    },
  });
}
