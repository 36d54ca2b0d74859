import type { Environment, SettingError } from "../../env.ts";
import { createModels } from "../../wiring.ts";
import { type Check, type Finding, failure, ok, warning } from "./check.ts";

const providerSettings = [
  "DEFAULT_VISION_PROVIDER",
  "DEFAULT_LLM_PROVIDER",
  "DEFAULT_IMAGE_PROVIDER",
  "DEFAULT_VIDEO_PROVIDER",
  "DEFAULT_SPEECH_PROVIDER",
] as const;

/** Every invalid setting, and those that are valid and unwise. */
export const settingsCheck = (errors: readonly SettingError[]): Check => ({
  name: "settings",
  settings: [],
  async run(environment) {
    const invalid = errors.map(({ name, message }) => failure(`${name} ${message}.`));
    const findings = [...invalid, ...providerSettings.flatMap((name) => unknownProvider(environment, name))];
    return findings.length > 0 ? [...findings, ...unwise(environment)] : [ok("All are valid."), ...unwise(environment)];
  },
});

const unused = () => Promise.reject(new Error("Not for use."));

function unknownProvider(environment: Environment, name: (typeof providerSettings)[number]): readonly Finding[] {
  const others = Object.fromEntries(
    providerSettings.map((setting) => [setting, setting === "DEFAULT_SPEECH_PROVIDER" ? "google" : "local"]),
  );
  const adapters = {
    localGenerator: { drawStoryboard: unused, moveCamera: unused },
    files: { receive: unused },
    soundTools: { decodeVoice: unused, soundForModel: unused },
  };
  try {
    createModels({ ...environment, ...others, [name]: environment[name] }, adapters);
    return [];
  } catch (error) {
    return [failure((error as Error).message.replace(/^Bad setting (\w+):/, "$1"))];
  }
}

const isLoopback = (host: string) => /^(localhost|127\.|::1$|\[::1\]$)/.test(host);

function unwise(environment: Environment): readonly Finding[] {
  const { HOST, PUBLIC_URL, RATE_LIMIT, ALLOW_PRIVATE_NETWORK } = environment;
  return [
    ...(!PUBLIC_URL && !isLoopback(HOST)
      ? [warning("PUBLIC_URL is unset.", "Set it to the address that callers use: URLs in events name it.")]
      : []),
    ...(RATE_LIMIT === "off" ? [warning("RATE_LIMIT is off.", "Set it to on: passwords can be guessed.")] : []),
    ...(ALLOW_PRIVATE_NETWORK === "true"
      ? [warning("ALLOW_PRIVATE_NETWORK is true.", "Unset it unless no stranger uses the service.")]
      : []),
  ];
}
