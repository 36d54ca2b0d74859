import { expect, test } from "bun:test";
import { APICallError, NoObjectGeneratedError, RetryError } from "ai";
import { DomainError, type ErrorCode } from "../../../src/errors.ts";
import { readErrorResponse, toProviderError } from "../../../src/providers/client/errors.ts";
import { NetworkError, ResponseTooLargeError } from "../../../src/providers/client/limited-fetch.ts";

const called = { providerName: "Acme", modelId: "acme-1", byDefault: false, offeredModels: ["acme-1", "acme-2"] };

const openai = (message: string, fields: object = {}) => JSON.stringify({ error: { message, ...fields } });
const google = (status: string, message: string, details: object[] = []) =>
  JSON.stringify({ error: { status, message, details } });
const reason = (word: string) => ({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: word });
const delay = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
const perMinute = "You exceeded your current quota, please check your plan and billing details.";

const failures: [name: string, status: number, body: string, code: ErrorCode][] = [
  ["a wrong key", 401, openai("Incorrect API key", { code: "invalid_api_key" }), "provider_key_rejected"],
  ["Google's wrong key", 400, google("INVALID_ARGUMENT", "…", [reason("API_KEY_INVALID")]), "provider_key_rejected"],
  ["a key without permission", 403, google("PERMISSION_DENIED", "…"), "provider_key_rejected"],
  ["an unknown model", 404, openai("…", { code: "model_not_found" }), "provider_model_unavailable"],
  ["a retired model", 400, google("X", "models/x is no longer available."), "provider_model_unavailable"],
  ["an unknown path", 404, "<html>", "provider_model_unavailable"],
  ["moderated content", 400, openai("…", { code: "moderation_blocked" }), "content_refused"],
  ["a policy violation", 400, openai("…", { code: "content_policy_violation" }), "content_refused"],
  [
    "a rejection by the safety system",
    400,
    openai("Your request was rejected by the safety system."),
    "content_refused",
  ],
  ["any other invalid request", 400, openai("…", { code: "invalid_value" }), "provider_rejected_request"],
  ["an unsupported method", 405, "", "provider_rejected_request"],
  ["a too large body", 413, openai("…"), "media_too_large"],
  [
    "a too large body at Google",
    400,
    google("X", "Request payload size exceeds the limit: 1 bytes."),
    "media_too_large",
  ],
  ["a rate limit", 429, openai("…", { code: "rate_limit_exceeded" }), "provider_rate_limited"],
  ["a rate limit per minute", 429, google("RESOURCE_EXHAUSTED", perMinute, [delay("9s")]), "provider_rate_limited"],
  ["an exhausted quota", 429, openai("…", { code: "insufficient_quota" }), "provider_quota_exhausted"],
  ["an exhausted quota in the type", 429, openai("…", { type: "insufficient_quota" }), "provider_quota_exhausted"],
  ["depleted credits", 429, google("X", "Your prepayment credits are depleted."), "provider_quota_exhausted"],
  ["a billing limit", 400, openai("…", { code: "billing_hard_limit_reached" }), "provider_quota_exhausted"],
  ["payment required", 402, "", "provider_quota_exhausted"],
  ["a request timeout", 408, "", "provider_error"],
  ["a cancellation by Google", 499, google("CANCELLED", "…"), "provider_error"],
  ["a server error", 500, openai("…", { type: "server_error" }), "provider_error"],
  ["a bad gateway", 502, "<html>", "provider_error"],
  ["a gateway timeout", 504, "", "provider_error"],
  ["a redirect", 302, "", "provider_error"],
  ["overload", 503, "", "provider_overloaded"],
  ["overload in the status field", 500, google("UNAVAILABLE", "The model is overloaded."), "provider_overloaded"],
  ["overload with status 529", 529, "", "provider_overloaded"],
  [
    "an error in an array from Google's front end",
    400,
    `[${google("X", "…", [reason("API_KEY_INVALID")])}]`,
    "provider_key_rejected",
  ],
  [
    "an empty account at fal",
    403,
    `{"detail":"User is locked. Reason: Exhausted balance."}`,
    "provider_quota_exhausted",
  ],
  [
    "refused content at fal",
    422,
    `{"detail":[{"loc":["body","prompt"],"msg":"…","type":"content_policy_violation"}]}`,
    "content_refused",
  ],
  ["an empty account at Runway", 400, `{"error":"You do not have enough credits."}`, "provider_quota_exhausted"],
  ["an empty account at ElevenLabs", 401, `{"detail":{"status":"quota_exceeded"}}`, "provider_quota_exhausted"],
  ["a wrong key at ElevenLabs", 401, `{"detail":{"status":"invalid_api_key"}}`, "provider_key_rejected"],
  [
    "an empty account at Anthropic",
    400,
    `{"error":{"message":"Your credit balance is too low"}}`,
    "provider_quota_exhausted",
  ],
  ["overload at Anthropic", 529, `{"type":"error","error":{"type":"overloaded_error"}}`, "provider_overloaded"],
  [
    "refused content at xAI",
    403,
    `{"code":"permission-denied","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}`,
    "content_refused",
  ],
  ["refused content at Alibaba", 400, `{"code":"DataInspectionFailed","message":"…"}`, "content_refused"],
  ["an error that is not an object", 500, JSON.stringify({ error: "down" }), "provider_error"],
  ["a null body", 500, "a null body", "provider_error"],
];

test.each(failures)("maps %s from the AI SDK and from our own client", async (_, status, body, code) => {
  const error = new APICallError({
    message: "…",
    url: "",
    requestBodyValues: {},
    statusCode: status,
    responseBody: body,
  });
  const retried = new RetryError({ message: "…", reason: "maxRetriesExceeded", errors: [error] });
  expect(toProviderError(retried, called).code).toBe(code);
  expect((await readErrorResponse(new Response(body, { status }), called)).code).toBe(code);
});

const factsFor = async (retryAfter: string, status = 429, body = "") => {
  const response = new Response(body, { status, headers: { "retry-after": retryAfter } });
  return (await readErrorResponse(response, called)).facts as { retryAfterSeconds?: number };
};
const inTenSeconds = () => new Date(Date.now() + 10_000).toUTCString();

test("takes retryAfterSeconds from the header, a number or a date, between one second and one day", async () => {
  expect(await factsFor("120")).toMatchObject({ retryAfterSeconds: 120 });
  expect(await factsFor("0.2")).toMatchObject({ retryAfterSeconds: 1 });
  expect(await factsFor("-5", 503)).toMatchObject({ retryAfterSeconds: 1 });
  expect(await factsFor("99999999")).toMatchObject({ retryAfterSeconds: 86_400 });
  expect(await factsFor("soon")).toMatchObject({ retryAfterSeconds: 30 });
  const { retryAfterSeconds } = await factsFor(inTenSeconds());
  expect([9, 10]).toContain(retryAfterSeconds!);
});

test("without a header takes retryAfterSeconds from Google's body, else 30", async () => {
  const body = google("RESOURCE_EXHAUSTED", perMinute, [delay("41.2s")]);
  expect((await readErrorResponse(new Response(body, { status: 429 }), called)).facts).toMatchObject({
    retryAfterSeconds: 42,
  });
  expect(await factsFor("7", 429, body)).toMatchObject({ retryAfterSeconds: 7 });
  expect((await readErrorResponse(new Response("", { status: 503 }), called)).facts).toMatchObject({
    retryAfterSeconds: 30,
  });
});

test("an exhausted daily quota without a delay is provider_quota_exhausted", async () => {
  const quota = { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }] };
  const response = new Response(google("RESOURCE_EXHAUSTED", perMinute, [quota]), { status: 429 });
  expect((await readErrorResponse(response, called)).code).toBe("provider_quota_exhausted");
});

const apiCallError = (fields: object) => new APICallError({ message: "…", url: "", requestBodyValues: {}, ...fields });
// safe because only the finish reason is read
const noObjectError = (finishReason: string) =>
  new NoObjectGeneratedError({ finishReason } as ConstructorParameters<typeof NoObjectGeneratedError>[0]);

test.each<[string, unknown, ErrorCode]>([
  ["a broken connection", new NetworkError("…"), "provider_error"],
  ["a broken connection inside the SDK's error", apiCallError({ cause: new NetworkError("…") }), "provider_error"],
  [
    "a too large response inside the SDK's error",
    apiCallError({ statusCode: 200, cause: new ResponseTooLargeError("…") }),
    "provider_bad_response",
  ],
  ["a 200 that is not JSON", apiCallError({ statusCode: 200, responseBody: "<html>" }), "provider_bad_response"],
  [
    "a 200 of another shape, for which the SDK invents a status",
    apiCallError({ statusCode: 500, responseBody: {} }),
    "provider_bad_response",
  ],
  ["an output of another shape", noObjectError("stop"), "provider_bad_response"],
  ["a truncated output", noObjectError("length"), "provider_bad_response"],
  ["a filtered output", noObjectError("content-filter"), "content_refused"],
  ["an abort that this service did not request", new DOMException("…", "AbortError"), "provider_error"],
  [
    "a DomainError in the chain of causes",
    apiCallError({ cause: new DomainError("provider_timeout", { seconds: 1 }) }),
    "provider_timeout",
  ],
])("maps %s", (_, error, code) => {
  expect(toProviderError(error, called).code).toBe(code);
});

test("throws a bug of this service unchanged", () => {
  const bug = new TypeError("undefined is not a function");
  expect(() => toProviderError(bug, called)).toThrow(bug);
});

test("keeps no text of the provider or the SDK", async () => {
  const error = apiCallError({
    message: "key sk-secret",
    url: "https://x/?key=sk-secret",
    requestBodyValues: { prompt: "sk-secret" },
    statusCode: 400,
    responseBody: openai("Incorrect: sk-secret", { param: "sk-secret" }),
  });
  expect(Bun.inspect(toProviderError(error, called), { depth: 10 })).not.toContain("sk-secret");
  const response = new Response(openai("sk-secret"), { status: 500 });
  expect(Bun.inspect(await readErrorResponse(response, called), { depth: 10 })).not.toContain("sk-secret");
});

test("tells a default model from one that the caller named", async () => {
  const failure = (byDefault: boolean) =>
    readErrorResponse(new Response("", { status: 404 }), { ...called, byDefault });
  expect((await failure(true)).facts).toMatchObject({ byDefault: true });
  expect((await failure(false)).facts).toMatchObject({ byDefault: false });
});

test("an unavailable model is named, with the other models of the provider", async () => {
  const body = openai("The model acme-1 was retired: sk-secret", { code: "model_not_found" });
  const { message } = await readErrorResponse(new Response(body, { status: 404 }), called);
  expect(message).toBe("Acme does not offer the model acme-1 to this key: choose one of acme-2.");
});
