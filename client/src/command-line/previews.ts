import { writeFile } from "node:fs/promises";
import { unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { InvalidRequestError } from "./exit-codes.ts";
import { type ExportBody, type RequestOptions, readRequest } from "./request.ts";

type FrameOptions = RequestOptions & {
  readonly at: string;
  readonly width?: string;
  readonly target?: string;
  readonly output: string;
};

type FrameQuery = { t: string; width?: string; target?: "9:16" | "1:1" | "16:9" | "4:5" };

/** Writes one frame of the video that an export of the request would make. */
export async function frame(context: Context, path: string, options: FrameOptions): Promise<void> {
  const { api } = await signedInClient(context);
  const json = await readRequest(path, options);
  const { at, width, target, output } = options;
  // safe because the service refuses other targets
  const query = { t: at, ...(width !== undefined && { width }), ...(target !== undefined && { target }) } as FrameQuery;
  const response = await unwrap(api.export.frame.$post({ json, query }, { init: { signal: context.signal } }));
  const image = new Uint8Array(await response.arrayBuffer());
  if (output === "-") return void process.stdout.write(image);
  await writeFile(output, image);
  context.output.result({ path: output, bytes: image.length }, () => output);
}

type Finding = { readonly path: string; readonly code: string; readonly message: string };

/** Lists the errors and warnings of an export. */
export async function validate(context: Context, path: string, options: RequestOptions): Promise<void> {
  const { api } = await signedInClient(context);
  const json = await readRequest(path, options);
  const report = await unwrap(api.export.validate.$post({ json }, { init: { signal: context.signal } }));
  context.output.result(report, () =>
    [...lines("error", report.errors), ...lines("warning", report.warnings)].join("\n"),
  );
  if (!report.ok) throw new InvalidRequestError(countOf(report.errors.length));
  context.output.note(`The export would have ${report.frames} frames, ${report.durationSeconds} s.`);
}

type CheckOptions = RequestOptions & { readonly platform?: readonly string[] };

type CheckBody = ExportBody & { platforms?: ("tiktok" | "reels")[] };

/** Renders a request and prints the platform rules that its videos break. */
export async function check(context: Context, path: string, { platform, ...options }: CheckOptions): Promise<void> {
  const { api } = await signedInClient(context);
  const request = await readRequest(path, options);
  // safe because the service refuses other platforms
  const json = { ...request, ...(platform && { platforms: platform }) } as CheckBody;
  const report = await unwrap(api.export.check.$post({ json }, { init: { signal: context.signal } }));
  const broken = report.reports.flatMap(({ platform, target, rules }) =>
    rules
      .filter(({ status }) => status === "fail" || status === "warn")
      .map(({ status, rule, message }) => `${status} ${platform}${target ? ` ${target}` : ""} ${rule}: ${message}`),
  );
  context.output.result(report, () => broken.join("\n"));
  const names = report.reports.map(({ platform, ok }) => `${platform} ${ok ? "takes" : "does not take"} it`);
  if (!report.ok) throw new InvalidRequestError(`The video breaks rules: ${names.join(", ")}.`);
  context.output.note(`The video breaks no rule that must hold: ${names.join(", ")}.`);
}

const lines = (kind: string, findings: readonly Finding[]) =>
  findings.map(({ path, code, message }) => `${kind} ${path || "-"}: ${message} (${code})`);

const countOf = (errors: number) =>
  errors === 1 ? "The export would fail." : `The export would fail: ${errors} errors.`;
