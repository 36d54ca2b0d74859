import { expect, test } from "bun:test";
import { readEnvironment } from "../src/env.ts";

test("without settings the service listens on localhost only", () => {
  expect(readEnvironment({})).toMatchObject({
    PORT: 3000,
    HOST: "127.0.0.1",
    DATA_DIR: "./data",
    ACCESS_TOKEN_TTL: 604_800,
    REFRESH_TOKEN_TTL: 2_592_000,
    MAX_UPLOAD_BYTES: 524_288_000,
    STORAGE: "local",
    ROLE: "all",
    CORS_ORIGINS: [],
    FETCH_EXTRA_PORTS: [],
    TRUSTED_PROXIES: [],
    ALLOW_PRIVATE_NETWORK: "false",
    RATE_LIMIT: "on",
    LOG_LEVEL: "info",
  });
  expect(readEnvironment({}).DATABASE_URL).toBeUndefined();
});

test("an empty setting counts as unset", () => {
  expect(readEnvironment({ PORT: "", JWT_SECRET: " ", DATABASE_URL: "" })).toEqual(readEnvironment({}));
});

test("lists are separated by commas", () => {
  const { CORS_ORIGINS, FETCH_EXTRA_PORTS } = readEnvironment({
    CORS_ORIGINS: "https://a.example.com, http://localhost:5173,",
    FETCH_EXTRA_PORTS: "8080,8443",
  });
  expect(CORS_ORIGINS).toEqual(["https://a.example.com", "http://localhost:5173"]);
  expect(FETCH_EXTRA_PORTS).toEqual([8080, 8443]);
});

test.each([
  ["PORT", "http"],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "3000.5"],
  ["PUBLIC_URL", "example.com"],
  ["PUBLIC_URL", "ftp://example.com"],
  ["DATABASE_URL", "mysql://localhost/x"],
  ["JWT_SECRET", "12345678"],
  ["JWT_SECRET", "31 bytes are less than a secret"],
  ["ACCESS_TOKEN_TTL", "0"],
  ["REFRESH_TOKEN_TTL", "1e3"],
  ["MAX_UPLOAD_BYTES", "500MB"],
  ["S3_BUCKET", "a/b"],
  ["S3_PREFIX", "/files"],
  ["S3_PREFIX", "../files"],
  ["S3_ENDPOINT", "store:9000"],
  ["STORAGE", "ftp"],
  ["ROLE", "worker"],
  ["EXPORT_CONCURRENCY", "0"],
  ["EXPORT_CACHE_BYTES", "much"],
  ["FETCH_EXTRA_PORTS", "80,x"],
  ["ALLOW_PRIVATE_NETWORK", "yes"],
  ["OPENAI_BASE_URL", "here"],
  ["PROVIDER_TIMEOUT_MS", "0"],
  ["PROVIDER_TIMEOUT_MS", "2147483648"],
  ["CORS_ORIGINS", "https://example.com/path"],
  ["CORS_ORIGINS", "example.com"],
  ["TRUSTED_PROXIES", "10.0.0.0/33"],
  ["TRUSTED_PROXIES", "127.0.0.1, proxy.example.com"],
  ["RATE_LIMIT", "maybe"],
  ["LOG_LEVEL", "loud"],
  ["METRICS_PORT", "metrics"],
  ["METRICS_PORT", "3000"],
  ["METRICS_TOKEN", "15 characters.."],
  ["METRICS_TOKEN", "with a space and long enough"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
  ["OTEL_TRACES_SAMPLER_ARG", "half"],
])("rejects %s=%s in one line with the name of the setting", (name, value) => {
  expect(() => readEnvironment({ JWT_SECRET: "long enough for anybody who reads", [name]: value })).toThrow(
    new RegExp(`^Bad setting ${name}: [^\n]+\\.$`),
  );
});

test.each([
  [{ METRICS_PORT: "4107", PORT: "4107" }, "Bad setting METRICS_PORT: must differ from PORT."],
  [
    { METRICS_TOKEN: "too short" },
    "Bad setting METRICS_TOKEN: must have at least 16 letters, digits or any of -._~+/.",
  ],
  [{ STORAGE: "s3" }, "Bad setting S3_BUCKET: must be set when STORAGE is s3."],
])("%j says what it lacks", (variables, sentence) => {
  expect(() => readEnvironment(variables)).toThrow(new Error(sentence));
});

test("a JWT secret has at least 32 bytes, and the message says how to make one", () => {
  expect("31 bytes are less than a secret").toHaveLength(31);
  expect(readEnvironment({ JWT_SECRET: "é".repeat(16) }).JWT_SECRET).toBe("é".repeat(16));
  expect(() => readEnvironment({ JWT_SECRET: "12345678" })).toThrow(
    "Bad setting JWT_SECRET: must have at least 32 bytes: make one with openssl rand -base64 32.",
  );
});

test("trusted proxies are addresses and ranges", () => {
  const { TRUSTED_PROXIES } = readEnvironment({ TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8, ::1, fd00::/8" });
  expect(TRUSTED_PROXIES).toEqual(["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"]);
});

test("the message does not show an invalid secret or URL", () => {
  expect(() => readEnvironment({ JWT_SECRET: "2short!" })).toThrow(/^(?!.*2short)/);
  expect(() => readEnvironment({ DATABASE_URL: "mysql://u:hunter2@h/x" })).toThrow(/^(?!.*hunter2)/);
});

test("a database server requires a JWT secret that all processes share", () => {
  const DATABASE_URL = "postgres://postgres@127.0.0.1:5432/reelwright";

  expect(() => readEnvironment({ DATABASE_URL })).toThrow(/^Bad setting JWT_SECRET: /);
  expect(readEnvironment({ DATABASE_URL, JWT_SECRET: "long enough for anybody who reads" }).DATABASE_URL).toBe(
    DATABASE_URL,
  );
});

test("object storage requires a bucket, its key, and an address or a region", () => {
  const complete = {
    STORAGE: "s3",
    S3_BUCKET: "videos",
    S3_ACCESS_KEY_ID: "key",
    S3_SECRET_ACCESS_KEY: "secret",
    S3_REGION: "eu-central-1",
  };
  expect(readEnvironment(complete)).toMatchObject(complete);
  for (const name of ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "S3_REGION"]) {
    expect(() => readEnvironment({ ...complete, [name]: "" })).toThrow(new RegExp(`^Bad setting ${name}: must be set`));
  }
  expect(() => readEnvironment({ ...complete, MAX_UPLOAD_BYTES: "6000000000" })).toThrow(
    /^Bad setting MAX_UPLOAD_BYTES/,
  );
});
