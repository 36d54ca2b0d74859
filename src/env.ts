import { availableParallelism } from "node:os";
import { z } from "zod";
import { parseLimit } from "./domain/ledger/budgets.ts";
import { parseIpRange } from "./platform/ip-address.ts";

const integer = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,16}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

const share = z
  .string()
  .regex(/^(0|1|0?\.\d{1,9})$/, "must be a share from 0 to 1, such as 0.1")
  .transform(Number);

const oneOf = <const Values extends readonly string[]>(...values: Values) =>
  z.enum(values, `must be one of ${values.join(", ")}`);

const url = (protocol: RegExp, example: string) => z.url({ protocol, error: `must be a URL such as ${example}` });

const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => text.split(",").flatMap((item) => item.trim() || []))
    .pipe(z.array(item));

const amount = z
  .string()
  .refine((value) => parseLimit(value) !== undefined, "must be dollars from 0 to 1000000, such as 250.00")
  // safe because the refinement has parsed it
  .transform((value) => parseLimit(value)!);

const text = z.string();
const webUrl = url(/^https?$/, "https://example.com");
const databaseUrl = url(/^postgres(ql)?$/, "postgres://user:password@host:5432/name");
const secretAdvice = "must have at least 32 bytes: make one with openssl rand -base64 32";
const secret = text.refine((value) => Buffer.byteLength(value) >= 32, secretAdvice);
const metricsToken = text.regex(/^[\w.~+/-]{16,}=*$/, "must have at least 16 letters, digits or any of -._~+/");
const isOrigin = (value: string) => value === "*" || (URL.canParse(value) && new URL(value).origin === value);
const origin = text.refine(isOrigin, "must be origins such as https://example.com, separated by commas, or *");
const isIpRange = (text: string) => parseIpRange(text) !== undefined;
const ipRange = text.refine(isIpRange, "must be addresses or ranges such as 10.0.0.0/8, separated by commas");
const bucketName = text.regex(/^[\w.-]{3,63}$/, "must be the name of a bucket, of letters, digits, dots and dashes");
const keyPrefix = text.regex(/^\w[\w.-]*(\/\w[\w.-]*)*\/?$/, "must be the beginning of a key, such as team/videos/");

/** Every setting, one per line: name, accepted values, default. Settings without a default are optional. */
export const settings = {
  PORT: integer(0, 65_535).default(3000),
  HOST: text.default("127.0.0.1"),
  PUBLIC_URL: webUrl.optional(),
  DATA_DIR: text.default("./data"),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_TEMPLATE: text.optional(),
  DATABASE_POOL_SIZE: integer(2, 1_000).optional(),
  JWT_SECRET: secret.optional(),
  ACCESS_TOKEN_TTL: integer(1, 30 * 86_400).default(7 * 86_400),
  REFRESH_TOKEN_TTL: integer(1, 3650 * 86_400).default(30 * 86_400),
  CORS_ORIGINS: list(origin).default([]),
  TRUSTED_PROXIES: list(ipRange).default([]),
  RATE_LIMIT: oneOf("on", "off").default("on"),
  METRICS_PORT: integer(0, 65_535).optional(),
  METRICS_TOKEN: metricsToken.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.optional(),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
  LOG_LEVEL: oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent").default("info"),
  FETCH_EXTRA_PORTS: list(integer(1, 65_535)).default([]),
  ALLOW_PRIVATE_NETWORK: oneOf("true", "false").default("false"),
  COMPATIBLE_APIS: list(oneOf("shotstack", "creatomate")).default([]),
  PROVENANCE: oneOf("on", "off").default("on"),
  C2PA_CERTIFICATE: text.optional(),
  C2PA_PRIVATE_KEY: text.optional(),
  MAX_UPLOAD_BYTES: integer(1).default(500 * 1024 * 1024),
  MAX_USER_BYTES: integer(1).default(20 * 1024 ** 3),
  MAX_USER_SPEND_PER_MONTH: amount.optional(),
  MAX_USER_EXPORTS_PER_DAY: integer(1, 1_000_000).optional(),
  STORAGE: oneOf("local", "s3").default("local"),
  ROLE: oneOf("all", "api", "worker").default("all"),
  HEALTH_SOCKET: text.optional(),
  STOP_SECONDS: integer(4, 3600).default(9),
  EXPORT_CONCURRENCY: integer(1, 256).default(availableParallelism()),
  EXPORT_KEEP_HOURS: integer(1, 24 * 365).default(72),
  EXPORT_CACHE_BYTES: integer(0).default(5 * 1024 ** 3),
  FFMPEG_PATH: text.optional(),
  OPENAI_BASE_URL: webUrl.optional(),
  GOOGLE_BASE_URL: webUrl.optional(),
  ANTHROPIC_BASE_URL: webUrl.optional(),
  FAL_BASE_URL: webUrl.optional(),
  RUNWAY_BASE_URL: webUrl.optional(),
  ELEVENLABS_BASE_URL: webUrl.optional(),
  GATEWAY_BASE_URL: webUrl.optional(),
  REPLICATE_BASE_URL: webUrl.optional(),
  XAI_BASE_URL: webUrl.optional(),
  BFL_BASE_URL: webUrl.optional(),
  ALIBABA_BASE_URL: webUrl.optional(),
  PEXELS_BASE_URL: webUrl.optional(),
  PIXABAY_BASE_URL: webUrl.optional(),
  YOUTUBE_BASE_URL: webUrl.optional(),
  DEFAULT_VISION_PROVIDER: text.default("local"),
  DEFAULT_LLM_PROVIDER: text.default("local"),
  DEFAULT_IMAGE_PROVIDER: text.default("local"),
  DEFAULT_VIDEO_PROVIDER: text.default("local"),
  DEFAULT_SPEECH_PROVIDER: text.default("google"),
  DEFAULT_MUSIC_PROVIDER: text.optional(),
  PRICES_FILE: text.optional(),
  // timers hold signed 32-bit milliseconds: a longer timeout would fire at once
  PROVIDER_TIMEOUT_MS: integer(1, 2 ** 31 - 1).default(300_000),
  S3_ENDPOINT: webUrl.optional(),
  S3_PUBLIC_URL: webUrl.optional(),
  S3_BUCKET: bucketName.optional(),
  S3_PREFIX: keyPrefix.optional(),
  S3_REGION: text.optional(),
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  S3_SCRATCH_BYTES: integer(0).default(10 * 1024 ** 3),
};

const requiredForS3 = ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;

/** S3 accepts no more in one request. */
const maxObjectBytes = 5 * 1024 ** 3;

const Environment = z
  .object(settings)
  .refine(({ DATABASE_URL, JWT_SECRET }) => !DATABASE_URL || JWT_SECRET, {
    path: ["JWT_SECRET"],
    error: "must be set when DATABASE_URL is, so that all processes of the service use the same secret",
  })
  .refine(({ DATABASE_URL, ROLE }) => DATABASE_URL || ROLE === "all", {
    path: ["ROLE"],
    error: "must be all without DATABASE_URL, because only one process can use the embedded database",
  })
  .refine((set) => !set.C2PA_PRIVATE_KEY === !set.C2PA_CERTIFICATE, {
    path: ["C2PA_PRIVATE_KEY"],
    error: "must be set with C2PA_CERTIFICATE, and only then",
  })
  .refine(({ PORT, METRICS_PORT }) => METRICS_PORT !== PORT || PORT === 0, {
    path: ["METRICS_PORT"],
    error: "must differ from PORT",
  })
  .check(({ value, issues }) => {
    if (value.STORAGE !== "s3") return;
    const report = (name: keyof typeof settings, message: string) =>
      issues.push({ code: "custom", input: value, path: [name], message });
    for (const name of requiredForS3) if (!value[name]) report(name, "must be set when STORAGE is s3");
    if (!value.S3_ENDPOINT && !value.S3_REGION) report("S3_REGION", "must be set without S3_ENDPOINT");
    if (value.MAX_UPLOAD_BYTES > maxObjectBytes) {
      report("MAX_UPLOAD_BYTES", `must be at most ${maxObjectBytes} when STORAGE is s3`);
    }
  });

export type Environment = z.output<typeof Environment>;

type Variables = Readonly<Record<string, string | undefined>>;

/** An empty value counts as unset, as compose files write it. */
const setIn = (variables: Variables) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));

/** Throws a one-line message with the name of the invalid setting, never with its value. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const result = Environment.safeParse(setIn(variables));
  if (result.success) return result.data;
  const [error] = errorsIn(result); // safe because a failed parse has an issue
  throw new Error(`Bad setting ${error!.name}: ${error!.message}.`);
}

/** `message` says what the value must be; it does not contain the value. */
export type SettingError = { readonly name: string; readonly message: string };

type Parsed = ReturnType<typeof Environment.safeParse>;

const errorsIn = ({ error }: Parsed): readonly SettingError[] =>
  (error?.issues ?? []).map(({ path, message }) => ({ name: String(path[0]), message }));

/** Replace invalid values, so that other settings are not reported as needing them. */
const placeholders: Variables = { DATABASE_URL: "postgres://database", S3_ENDPOINT: "http://store" };

/** Returns every invalid setting, the environment without them, and the names of all variables. */
export function examineEnvironment(variables: Variables = process.env): {
  readonly environment: Environment;
  readonly errors: readonly SettingError[];
  readonly names: readonly string[];
} {
  const set = setIn(variables);
  const own = errorsIn(Environment.safeParse(set));
  const isInvalid = (name: string) => own.some((error) => error.name === name);
  const valid = Object.fromEntries(Object.entries(set).filter(([name]) => !isInvalid(name)));
  const present = Object.entries(placeholders).filter(([name]) => isInvalid(name));
  // settings are compared with each other only once each is valid
  const combined = errorsIn(Environment.safeParse({ ...valid, ...Object.fromEntries(present) }));
  const errors = [...own, ...combined.filter(({ name }) => !isInvalid(name))];
  return { environment: z.object(settings).parse(valid), errors, names: Object.keys(set) };
}
