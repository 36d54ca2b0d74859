import { expect, test } from "bun:test";
import { APICallError, NoObjectGeneratedError, RetryError } from "ai";
import { asProviderError, failedResponse } from "../../../src/ai/client/errors.ts";
import { BrokenWire, OversizedAnswer } from "../../../src/ai/client/limited-fetch.ts";
import { DomainError, type ErrorCode } from "../../../src/errors.ts";

const asked = { providerName: "Acme", byDefault: false };

const openai = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } });
const google = (status: string, message: string, details: object[] = []) =>
  JSON.stringify({ error: { status, message, details } });
const reason = (word: string) => ({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: word });
const delay = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
const perMinute = "You exceeded your current quota, please check your plan and billing details.";

const failures: [what: string, status: number, body: string, code: ErrorCode][] = [
  ["a wrong key", 401, openai("Incorrect API key", { code: "invalid_api_key" }), "provider_key_rejected"],
  ["Google's wrong key", 400, google("INVALID_ARGUMENT", "…", [reason("API_KEY_INVALID")]), "provider_key_rejected"],
  ["a key without the right", 403, google("PERMISSION_DENIED", "…"), "provider_key_rejected"],
  ["an unknown model", 404, openai("…", { code: "model_not_found" }), "provider_model_unavailable"],
  ["a retired model", 400, google("X", "models/x is no longer available."), "provider_model_unavailable"],
  ["a page that is not there", 404, "<html>", "provider_model_unavailable"],
  ["blocked words", 400, openai("…", { code: "moderation_blocked" }), "content_refused"],
  ["words against a policy", 400, openai("…", { code: "content_policy_violation" }), "content_refused"],
  ["the safety system", 400, openai("Your request was rejected by the safety system."), "content_refused"],
  ["anything else about the request", 400, openai("…", { code: "invalid_value" }), "provider_rejected_request"],
  ["a method that is not taken", 405, "", "provider_rejected_request"],
  ["a large body", 413, openai("…"), "media_too_large"],
  ["a large body at Google", 400, google("X", "Request payload size exceeds the limit: 1 bytes."), "media_too_large"],
  ["too many requests", 429, openai("…", { code: "rate_limit_exceeded" }), "provider_rate_limited"],
  ["too many in a minute", 429, google("RESOURCE_EXHAUSTED", perMinute, [delay("9s")]), "provider_rate_limited"],
  ["an empty account", 429, openai("…", { code: "insufficient_quota" }), "provider_quota_exhausted"],
  ["an empty account by its type", 429, openai("…", { type: "insufficient_quota" }), "provider_quota_exhausted"],
  ["credits used up", 429, google("X", "Your prepayment credits are depleted."), "provider_quota_exhausted"],
  ["a budget's end", 400, openai("…", { code: "billing_hard_limit_reached" }), "provider_quota_exhausted"],
  ["money", 402, "", "provider_quota_exhausted"],
  ["a timeout of its own", 408, "", "provider_error"],
  ["Google's cancelling", 499, google("CANCELLED", "…"), "provider_error"],
  ["a failure", 500, openai("…", { type: "server_error" }), "provider_error"],
  ["a gateway", 502, "<html>", "provider_error"],
  ["a slow gateway", 504, "", "provider_error"],
  ["a redirect", 302, "", "provider_error"],
  ["overload", 503, "", "provider_overloaded"],
  ["overload by name", 500, google("UNAVAILABLE", "The model is overloaded."), "provider_overloaded"],
  ["overload of a kind", 529, "", "provider_overloaded"],
  [
    "Google's front end, in an array",
    400,
    `[${google("X", "…", [reason("API_KEY_INVALID")])}]`,
    "provider_key_rejected",
  ],
  ["an error that is no object", 500, JSON.stringify({ error: "down" }), "provider_error"],
  ["null", 500, "null", "provider_error"],
];

test.each(failures)("%s becomes one of our codes, from both kinds of clients", async (_, status, body, code) => {
  const error = new APICallError({
    message: "…",
    url: "",
    requestBodyValues: {},
    statusCode: status,
    responseBody: body,
  });
  const retried = new RetryError({ message: "…", reason: "maxRetriesExceeded", errors: [error] });
  expect(asProviderError(retried, asked).code).toBe(code);
  expect((await failedResponse(new Response(body, { status }), asked)).code).toBe(code);
});

const afterHeader = async (retryAfter: string, status = 429, body = "") => {
  const response = new Response(body, { status, headers: { "retry-after": retryAfter } });
  return (await failedResponse(response, asked)).facts as { retryAfterSeconds?: number };
};
const inTenSeconds = () => new Date(Date.now() + 10_000).toUTCString();

test("the wait is the header's, in seconds or until a date, within a second and a day", async () => {
  expect(await afterHeader("120")).toMatchObject({ retryAfterSeconds: 120 });
  expect(await afterHeader("0.2")).toMatchObject({ retryAfterSeconds: 1 });
  expect(await afterHeader("-5", 503)).toMatchObject({ retryAfterSeconds: 1 });
  expect(await afterHeader("99999999")).toMatchObject({ retryAfterSeconds: 86_400 });
  expect(await afterHeader("soon")).toMatchObject({ retryAfterSeconds: 30 });
  const { retryAfterSeconds } = await afterHeader(inTenSeconds());
  expect([9, 10]).toContain(retryAfterSeconds!);
});

test("without a header the wait is what Google writes into the body, else half a minute", async () => {
  const body = google("RESOURCE_EXHAUSTED", perMinute, [delay("41.2s")]);
  expect((await failedResponse(new Response(body, { status: 429 }), asked)).facts).toMatchObject({
    retryAfterSeconds: 42,
  });
  expect(await afterHeader("7", 429, body)).toMatchObject({ retryAfterSeconds: 7 });
  expect((await failedResponse(new Response("", { status: 503 }), asked)).facts).toMatchObject({
    retryAfterSeconds: 30,
  });
});

test("a day's quota without a time to wait is used up", async () => {
  const quota = { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }] };
  const response = new Response(google("RESOURCE_EXHAUSTED", perMinute, [quota]), { status: 429 });
  expect((await failedResponse(response, asked)).code).toBe("provider_quota_exhausted");
});

const call = (more: object) => new APICallError({ message: "…", url: "", requestBodyValues: {}, ...more });
type Made<Kind extends abstract new (...args: never) => unknown> = ConstructorParameters<Kind>[0];

// safe because only the end is looked at
const unfit = (finishReason: string) =>
  new NoObjectGeneratedError({ finishReason } as Made<typeof NoObjectGeneratedError>);

test.each<[string, unknown, ErrorCode]>([
  ["a broken connection", new BrokenWire("…"), "provider_error"],
  ["a broken connection inside the SDK's error", call({ cause: new BrokenWire("…") }), "provider_error"],
  [
    "a large answer inside the SDK's error",
    call({ statusCode: 200, cause: new OversizedAnswer("…") }),
    "provider_bad_response",
  ],
  ["a 200 that is no JSON", call({ statusCode: 200, responseBody: "<html>" }), "provider_bad_response"],
  [
    "a 200 of another form, for which the SDK makes up a status",
    call({ statusCode: 500, responseBody: {} }),
    "provider_bad_response",
  ],
  ["an answer of another form", unfit("stop"), "provider_bad_response"],
  ["an answer cut off", unfit("length"), "provider_bad_response"],
  ["an answer filtered", unfit("content-filter"), "content_refused"],
  ["an abort that nobody here asked for", new DOMException("…", "AbortError"), "provider_error"],
  [
    "one of ours, however deep",
    call({ cause: new DomainError("provider_timeout", { seconds: 1 }) }),
    "provider_timeout",
  ],
])("%s is known", (_, error, code) => {
  expect(asProviderError(error, asked).code).toBe(code);
});

test("a bug of ours stays one", () => {
  const bug = new TypeError("undefined is not a function");
  expect(() => asProviderError(bug, asked)).toThrow(bug);
});

test("nothing that a provider or the SDK says goes on", async () => {
  const error = call({
    ...{ message: "key sk-secret", url: "https://x/?key=sk-secret", requestBodyValues: { prompt: "sk-secret" } },
    ...{ statusCode: 400, responseBody: openai("Incorrect: sk-secret", { param: "sk-secret" }) },
  });
  expect(Bun.inspect(asProviderError(error, asked), { depth: 10 })).not.toContain("sk-secret");
  const response = new Response(openai("sk-secret"), { status: 500 });
  expect(Bun.inspect(await failedResponse(response, asked), { depth: 10 })).not.toContain("sk-secret");
});

test("a model that the service chose is told from one that the caller named", async () => {
  const failure = (byDefault: boolean) => failedResponse(new Response("", { status: 404 }), { ...asked, byDefault });
  expect((await failure(true)).facts).toMatchObject({ byDefault: true });
  expect((await failure(false)).facts).toMatchObject({ byDefault: false });
});
