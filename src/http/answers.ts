import { type DescribeRouteOptions, resolver } from "hono-openapi";
import type { z } from "zod";
import { yieldIfBusy } from "../platform/cpu.ts";

/** The successful responses of an operation, by status. Its errors are declared by their codes. */
export type Answers = NonNullable<DescribeRouteOptions["responses"]>;
type Answer = Answers[string];

/** Yields to other requests: converting all schemas takes a fifth of a second. */
export function schemaFor(io: "input" | "output", schema: z.ZodType): ReturnType<typeof resolver> {
  // the option only has an effect here
  const source = resolver(schema, { options: { io } });
  return {
    ...source,
    async toOpenAPISchema(options) {
      await yieldIfBusy();
      return source.toOpenAPISchema(options);
    },
  };
}

/** Descriptions of the response headers in the document. */
export const headerDescriptions = {
  "Accept-Ranges": "`bytes`: a part of the file can be requested with Range.",
  "Content-Disposition": "The name of the file, as RFC 6266 writes it.",
  "Content-Range": "The bytes that were sent, and the size of the whole file.",
  ETag: "The version of the resource, for If-Match and If-None-Match.",
  "Idempotency-Replayed": "`true` if this is the stored response of an earlier request with the same Idempotency-Key.",
  Link: 'The URL of the next page as `<…>; rel="next"`; absent on the last page.',
  Location: "The URL to read the result from.",
  "Preference-Applied": "`respond-async`.",
  "Retry-After": "Seconds to wait before the next attempt.",
  "WWW-Authenticate": "`Bearer`, with the reason.",
  "X-Cost": "What the request has paid to providers, such as `0.042 USD`; `0.00 USD` if its response is a stored one.",
  "X-Export-Warnings": "A JSON list of the codes of the export's warnings.",
  "X-Image-Model-Id": "As X-Model-Id, for the image of a scene.",
  "X-Model-Id": "The model that was asked, if the one that was named has ended.",
  "X-Request-Id": "Names the request in the service's log. Taken from the request if it has a sane one.",
} as const;

export type ResponseHeader = keyof typeof headerDescriptions;

export const headerReferences = (names: readonly ResponseHeader[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const json = (schema: z.ZodType, description: string, headers: readonly ResponseHeader[] = []): Answer => ({
  description,
  headers: headerReferences(headers),
  content: { "application/json": { schema: schemaFor("output", schema) } },
});

export const resource = (schema: z.ZodType, description: string): Answer => json(schema, description, ["ETag"]);

export const page = (schema: z.ZodType, description: string): Answer => json(schema, description, ["Link"]);

const withoutBody = (description: string, headers: readonly ResponseHeader[] = []): Answer => ({
  description,
  headers: headerReferences(headers),
});

export const noContent = (description: string): Answers => ({ 204: withoutBody(description) });

export const versioned = (schema: z.ZodType, description: string): Answers => ({
  200: resource(schema, description),
  304: withoutBody("The resource has the version that If-None-Match names.", ["ETag"]),
});

const binary = { schema: { type: "string" as const, format: "binary" } };

const contentOf = (types: readonly string[]) => Object.fromEntries(types.map((type) => [type, binary]));

/** A file of one of these types, always sent whole. */
export const download = (
  types: readonly string[],
  description: string,
  headers: readonly ResponseHeader[] = [],
): Answer => ({
  description,
  headers: headerReferences(["Content-Disposition", ...headers]),
  content: contentOf(types),
});

/** The answers to GET of a file, with optional further headers. */
export const file = (
  types: readonly string[],
  description: string,
  headers: readonly ResponseHeader[] = [],
): Answers => ({
  200: download(types, description, ["Accept-Ranges", "ETag", ...headers]),
  206: download(types, "The part of the file that Range names.", ["Content-Range", "ETag", ...headers]),
  304: withoutBody("The file is the one that If-None-Match names.", ["ETag", ...headers]),
});

/** The answers to GET of a stored file: with object storage, the client may be redirected to the bucket. */
export const storedFile: typeof file = (types, description, headers) => ({
  ...file(types, description, headers),
  302: withoutBody("The file is at this address for a few minutes. Only where files are in object storage.", [
    "Location",
  ]),
});
