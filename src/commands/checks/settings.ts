import { endingModels, endingPhrase } from "../../domain/ai/model-ends.ts";
import { type Environment, type SettingError, settings } from "../../env.ts";
import { createModels, createPrices, createSigner } from "../../process/from-settings.ts";
import { type Check, type Finding, failure, ok, warning } from "./check.ts";

const providerSettings = [
  "DEFAULT_VISION_PROVIDER",
  "DEFAULT_LLM_PROVIDER",
  "DEFAULT_IMAGE_PROVIDER",
  "DEFAULT_VIDEO_PROVIDER",
  "DEFAULT_SPEECH_PROVIDER",
  "DEFAULT_MUSIC_PROVIDER",
] as const;

/** Reports every invalid setting, variables among `names` that are probably misspelt, and valid but unwise values. */
export const settingsCheck = (errors: readonly SettingError[], names: readonly string[]): Check => ({
  name: "settings",
  settings: [],
  async run(environment) {
    const invalid = errors.map(({ name, message }) => failure(`${name} ${message}.`));
    const unknown = providerSettings.flatMap((name) => unknownProvider(environment, name));
    const findings = [
      ...invalid,
      ...unknown,
      ...errorIn(() => createPrices(environment)),
      ...errorIn(() => createSigner(environment, "")),
    ];
    const warnings = [...misspelt(names), ...unwise(environment)];
    return findings.length > 0 ? [...findings, ...warnings] : [ok("All are valid."), ...warnings];
  },
});

/** `local` makes no sounds. */
const soundDefaults: Readonly<Record<string, string>> = {
  DEFAULT_SPEECH_PROVIDER: "google",
  DEFAULT_MUSIC_PROVIDER: "elevenlabs",
};

const unused = () => Promise.reject(new Error("Not for use."));

const adapters = {
  localGenerator: { drawStoryboard: unused, moveCamera: unused },
  files: { receive: unused, discard: unused },
  fetcher: { download: unused },
  images: { convertImage: unused },
  soundTools: { decodeVoice: unused, soundForModel: unused },
};

/** Providers that are always available. */
const validDefaults = Object.fromEntries(
  providerSettings.map((setting) => [setting, soundDefaults[setting] ?? "local"]),
);

const unknownProvider = (environment: Environment, name: (typeof providerSettings)[number]): readonly Finding[] =>
  errorIn(() => createModels({ ...environment, ...validDefaults, [name]: environment[name] }, adapters));

/** Models that providers will remove soon. */
export const modelsCheck: Check = {
  name: "models",
  settings: [],
  async run(environment) {
    const { providers } = createModels({ ...environment, ...validDefaults }, adapters);
    const ending = endingModels(providers, Date.now()).map(endingPhrase);
    return [
      ok(
        ending.length > 0
          ? `Providers remove these models within 60 days: ${ending.join(", ")}.`
          : "Providers remove no model within 60 days.",
      ),
    ];
  },
};

const oldDays = 180;
const dayMs = 86_400_000;

/** Prices that may have changed since they were read. */
export const pricesCheck: Check = {
  name: "prices",
  settings: [],
  async run(environment) {
    // errors of PRICES_FILE belong to the settings check; its rows need no date
    const rows = createPrices(errorIn(() => createPrices(environment)).length > 0 ? {} : environment).list();
    const newest = new Date(Date.now() - oldDays * dayMs).toISOString().slice(0, 10);
    const dated = rows.filter(({ asOf, source }) => asOf < newest && source !== "PRICES_FILE");
    const [oldest] = dated.toSorted((a, b) => (a.asOf < b.asOf ? -1 : 1));
    if (!oldest) return [ok(`None is older than ${oldDays} days.`)];
    const which = `that of ${oldest.model} of ${oldest.provider}, of ${oldest.asOf}`;
    const message =
      dated.length === 1
        ? `1 price is older than ${oldDays} days: ${which}.`
        : `${dated.length} prices are older than ${oldDays} days, the oldest ${which}.`;
    const fix = "Read their pages (`source` of GET /api/prices), and put what has changed into PRICES_FILE.";
    return [warning(message, fix)];
  },
};

function errorIn(create: () => unknown): readonly Finding[] {
  try {
    create();
    return [];
  } catch (error) {
    return [failure((error as Error).message.replace(/^Bad setting (\w+):/, "$1"))];
  }
}

/** Shorter names too often belong to other programs, such as HOME. */
const minNameLength = 8;
const maxWrongLetters = 2;

/** Unknown variables that begin like some settings or differ from one by two letters. */
function misspelt(names: readonly string[]): readonly Finding[] {
  const known = Object.keys(settings);
  return names.flatMap((name) => {
    if (known.includes(name) || name.length < minNameLength) return [];
    const meant = known.find((setting) => distance(name, setting) <= maxWrongLetters);
    if (meant) return [warning(`${name} is no setting.`, `Correct it to ${meant}, or unset it.`)];
    return /^(S3|EXPORT|METRICS|MAX_USER)_/.test(name) ? [warning(`${name} is no setting.`, "Unset it.")] : [];
  });
}

/** Letters to insert, remove or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [index, other] of [...to].entries()) {
      next.push(Math.min(row[index + 1]! + 1, next[index]! + 1, row[index]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!; // safe because a row is never empty
}

const isLoopback = (host: string) => /^(localhost|127\.|::1$|\[::1\]$)/.test(host);

function unwise(environment: Environment): readonly Finding[] {
  const { HOST, PUBLIC_URL, RATE_LIMIT, ALLOW_PRIVATE_NETWORK, ROLE, STORAGE } = environment;
  return [
    ...(ROLE === "worker" && STORAGE === "local"
      ? [
          warning(
            "A worker with STORAGE=local finds only the files of its own DATA_DIR.",
            "Give it the DATA_DIR of the process that answers, on the same machine, or use STORAGE=s3.",
          ),
        ]
      : []),
    ...(!PUBLIC_URL && !isLoopback(HOST)
      ? [warning("PUBLIC_URL is unset.", "Set it to the address that callers use: URLs in events name it.")]
      : []),
    ...(RATE_LIMIT === "off" ? [warning("RATE_LIMIT is off.", "Set it to on: passwords can be guessed.")] : []),
    ...(ALLOW_PRIVATE_NETWORK === "true"
      ? [warning("ALLOW_PRIVATE_NETWORK is true.", "Unset it unless no stranger uses the service.")]
      : []),
  ];
}
