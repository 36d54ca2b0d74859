import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Choice } from "../parts/choice.tsx";
import { bound, Field } from "../parts/field.tsx";
import { Failure, Show, useLoaded } from "../parts/loaded.tsx";
import { forgetKey, keepKey, keptKeys, loadKeptKeys } from "../parts/provider-keys.ts";
import { Title } from "../parts/title.tsx";
import { dateText, t } from "../words.ts";

const local = "local";

/** The keys of providers that the account keeps. */
export function KeysScreen() {
  const loaded = useLoaded(async () => {
    const [providers] = await Promise.all([unwrap(api.providers.$get()), loadKeptKeys()]);
    // rows of one provider have one key
    return new Map(providers.filter(({ id }) => id !== local).map(({ name, id }) => [name, id]));
  });
  const provider = useSignal("");
  const key = useSignal("");
  const { failure, isBusy, attempt } = useAttempt();
  useEffect(() => {
    provider.value ||= [...(loaded.value.value?.values() ?? [])][0] ?? "";
  }, [loaded.value.value]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void attempt(async () => {
      await keepKey(provider.value, key.value);
      key.value = "";
    });
  };
  return (
    <section class="place">
      <header class="place-head">
        <Title quiet>{t("keys")}</Title>
      </header>
      <p class="lead">{t("keysLead")}</p>
      <Show of={loaded}>
        {(providers) => (
          <>
            <form class="card one-line" onSubmit={submit} noValidate aria-busy={isBusy.value}>
              <Choice
                label={t("keyProvider")}
                value={provider.value}
                options={[...providers].map(([name, id]) => [id, name])}
                onChange={(next) => {
                  provider.value = next;
                }}
              />
              <Field label={t("newKey")} type="password" autoComplete="off" {...bound(key)} />
              <button type="submit" class="button" disabled={isBusy.value || key.value.trim() === ""}>
                {t("keyKeep")}
              </button>
            </form>
            <Failure of={failure.value} />
            <ul class="lines">
              {keptKeys.value?.map((kept) => (
                <li key={kept.provider}>
                  <b>{kept.name}</b> <span class="soft">{t("keyKept", { date: dateText(kept.createdAt) })}</span>
                  <button
                    type="button"
                    class="tool"
                    disabled={isBusy.value}
                    onClick={() => void attempt(() => forgetKey(kept.provider))}
                  >
                    {t("remove")}
                    <span class="unseen"> {kept.name}</span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Show>
    </section>
  );
}
