import { expect, test } from "bun:test";
import { modelHeaders } from "../../../src/http/mcp/calls/tool-call.ts";

const one = { provider: "x-image-provider", model: "x-model-id", apiKey: "x-api-key", requestId: "Idempotency-Key" };
const two = {
  imageProvider: "x-image-provider",
  videoProvider: "x-video-provider",
  imageApiKey: "x-image-api-key",
  apiKey: "x-api-key",
};

const headersFor = (args: object, connection: Record<string, string> = {}, inHeaders: Record<string, string> = one) =>
  modelHeaders({ ...args }, inHeaders, new Headers(connection)).headers;

test("without any choice the provider is local", () => {
  expect(headersFor({})).toEqual({ "x-image-provider": "local" });
  expect(headersFor({ requestId: "a", provider: " " })).toEqual({ "x-image-provider": "local" });
  expect(headersFor({}, {}, two)).toEqual({ "x-image-provider": "local", "x-video-provider": "local" });
});

test("the headers of the connection count, those of other categories do not", () => {
  const connection = { "x-image-provider": "gemini", "x-llm-provider": "openai", "x-api-key": "k", "x-other": "1" };
  expect(headersFor({}, connection)).toEqual({ "x-image-provider": "gemini", "x-api-key": "k" });
});

test("a key without a provider is for the service's default provider", () => {
  expect(headersFor({}, { "x-api-key": "k" })).toEqual({ "x-api-key": "k" });
  expect(headersFor({ apiKey: "k" })).toEqual({ "x-api-key": "k" });
});

test("the arguments come before the headers of the connection", () => {
  const connection = { "x-image-provider": "Gemini", "x-model-id": "a", "x-api-key": "k" };
  expect(headersFor({ provider: "gemini", model: "b" }, connection)).toEqual({
    "x-image-provider": "gemini",
    "x-model-id": "b",
    "x-api-key": "k",
  });
  expect(headersFor({ provider: "dalle" }, { "x-api-key": "k" })).toEqual({
    "x-image-provider": "dalle",
    "x-api-key": "k",
  });
});

test("a key and a model of one provider are not sent to another", () => {
  const connection = { "x-image-provider": "gemini", "x-model-id": "a", "x-api-key": "k" };
  expect(headersFor({ provider: "dalle" }, connection)).toEqual({ "x-image-provider": "dalle" });
  expect(headersFor({ provider: "dalle" }, { "x-llm-provider": "gemini", "x-api-key": "k" })).toEqual({
    "x-image-provider": "dalle",
  });
  expect(headersFor({ provider: "dalle", apiKey: "own" }, connection)).toEqual({
    "x-image-provider": "dalle",
    "x-api-key": "own",
  });
});

test("another provider for the image leaves that of the video", () => {
  const connection = {
    "x-image-provider": "gemini",
    "x-video-provider": "gemini",
    "x-video-api-key": "v",
    "x-api-key": "k",
  };
  const inHeaders = { ...two, videoApiKey: "x-video-api-key" };
  expect(headersFor({ imageProvider: "dalle", imageApiKey: "own" }, connection, inHeaders)).toEqual({
    "x-image-provider": "dalle",
    "x-image-api-key": "own",
    "x-video-provider": "gemini",
    "x-video-api-key": "v",
  });
});

test("what nobody has named is assumed, and a voice has no local provider", () => {
  const assumedFor = (args: object, inHeaders: Record<string, string>, connection = {}) =>
    modelHeaders({ ...args }, inHeaders, new Headers(connection)).assumed;
  expect(assumedFor({}, two)).toEqual(["x-image-provider", "x-video-provider"]);
  expect(assumedFor({ imageProvider: "local" }, two)).toEqual(["x-video-provider"]);
  expect(assumedFor({}, two, { "x-image-provider": "gemini" })).toEqual(["x-video-provider"]);
  expect(assumedFor({ apiKey: "k" }, two)).toEqual([]);
  expect(modelHeaders({}, { provider: "x-speech-provider" }, new Headers())).toEqual({ headers: {}, assumed: [] });
});
