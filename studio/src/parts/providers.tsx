import { type Signal, useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../api.ts";
import { t, type Word } from "../words.ts";
import { useAttempt } from "./attempt.ts";
import { Choice } from "./choice.tsx";
import { Field } from "./field.tsx";
import { Failure } from "./loaded.tsx";
import { keepKey, keptKeys, loadKeptKeys } from "./provider-keys.ts";

type Provider = InferResponseType<typeof api.providers.$get, 200>[number];

const categories = ["llm", "image", "video", "speech"] as const;
type Category = (typeof categories)[number];

/** Chosen providers by category. Keys are only in the memory of this page. */
export type ProviderChoice = {
  readonly chosen: { readonly [Name in Category]?: string };
  readonly keys: { readonly [provider: string]: string };
  readonly voice: string;
};

export const noChoice: ProviderChoice = { chosen: {}, keys: {}, voice: "" };

const local = "local";

/** The part of an order that names providers. */
export function providerFields({ chosen, voice }: ProviderChoice) {
  const models = Object.fromEntries(Object.entries(chosen).map(([category, provider]) => [category, { provider }]));
  return {
    ...(Object.keys(models).length > 0 && { models }),
    ...(chosen.speech && voice && { voice: { voice } }),
  };
}

/** Keys of an order, as headers, which the types of the routes do not include. */
export const keyHeaders = ({ chosen, keys }: ProviderChoice): Record<string, undefined> =>
  Object.fromEntries<never>(
    Object.entries(chosen).flatMap(([category, provider]) =>
      keys[provider] ? [[`x-${category}-api-key`, keys[provider] as never]] : [],
    ),
  );

type KeyFieldProps = {
  readonly name: string;
  readonly provider: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onInput: (key: string) => void;
};

/** Asks for a provider's key, unless the account keeps it. */
export function KeyField({ name, provider, value, error, onInput }: KeyFieldProps) {
  const { failure, isBusy, attempt } = useAttempt();
  useEffect(() => {
    // without the list, the key is asked for
    void loadKeptKeys().catch(() => {});
  }, []);
  const kept = keptKeys.value?.find((each) => each.name === name);
  const keep = () =>
    attempt(async () => {
      await keepKey(provider, value);
      onInput("");
    });
  if (kept && !error)
    return (
      <p class="soft key-kept">
        {t("keyIsKept", { name })} <a href="/studio/keys">{t("keys")}</a>
      </p>
    );
  return (
    <div class="key-field">
      <Field
        label={t("keyFor", { name })}
        type="password"
        autoComplete="off"
        value={value}
        hint={t("keyHint")}
        error={error}
        onInput={({ currentTarget }) => onInput(currentTarget.value.trim())}
      />
      {value && (
        <button type="button" class="tool" disabled={isBusy.value} onClick={() => void keep()}>
          {t("keyKeep")}
        </button>
      )}
      <Failure of={failure.value} />
    </div>
  );
}

/** Chooses providers for an order; without a choice, the service decides. */
export function ProvidersField({ choice, error }: { choice: Signal<ProviderChoice>; error: string | undefined }) {
  const providers = useSignal<readonly Provider[]>([]);
  useEffect(() => {
    // without a list there is no choice, and the service decides
    void unwrap(api.providers.$get()).then(
      (found) => {
        providers.value = found;
      },
      () => {},
    );
  }, []);
  const { chosen, keys, voice } = choice.value;
  const change = (changes: Partial<ProviderChoice>) => {
    choice.value = { ...choice.value, ...changes };
  };
  const of = (category: Category) => providers.value.filter((provider) => provider.category === category);
  const nameOf = (id: string) => providers.value.find((provider) => provider.id === id)?.name ?? id;
  // one account has one key for all categories
  const accounts = Map.groupBy(new Set(Object.values(chosen).filter((id) => id !== local)), nameOf);
  const voices = of("speech").find(({ id }) => id === chosen.speech)?.models[0]?.voices ?? [];
  return (
    <>
      <div class="choices">
        {categories.map((category) => (
          <Choice
            key={category}
            label={t(`by_${category}` as Word)}
            value={chosen[category] ?? ""}
            options={[
              ["", t(category === "speech" ? "noVoice" : "byService")],
              ...of(category).map(({ id, name }) => [id, name] as const),
            ]}
            onChange={(provider) => {
              const { [category]: _, ...rest } = chosen;
              change({ chosen: provider ? { ...rest, [category]: provider } : rest, voice: "" });
            }}
          />
        ))}
        {voices.length > 0 && (
          <Choice
            label={t("voice")}
            value={voice}
            options={voices.map((name, index) => [index === 0 ? "" : name, name])}
            onChange={(name) => change({ voice: name })}
          />
        )}
      </div>
      {accounts.size > 0 && (
        <div class="choices">
          {[...accounts].map(([name, ids], index) => (
            <KeyField
              key={name}
              name={name}
              provider={ids[0]!}
              value={keys[ids[0]!] ?? ""}
              error={index === 0 ? error : undefined}
              onInput={(key) => {
                const own = providers.value.filter((provider) => provider.name === name);
                change({ keys: { ...keys, ...Object.fromEntries(own.map(({ id }) => [id, key])) } });
              }}
            />
          ))}
        </div>
      )}
    </>
  );
}
