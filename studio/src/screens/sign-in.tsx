import { useSignal } from "@preact/signals";
import { fieldErrors } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Field } from "../parts/field.tsx";
import { Failure } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { signIn } from "../session.ts";
import { t } from "../words.ts";

export function SignInScreen() {
  const isNew = useSignal(true);
  const { failure, isBusy, attempt } = useAttempt();
  const errors = fieldErrors(failure.value);
  const isAboutFields = Object.keys(errors).length > 0;

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "");
    const credentials = { email: text("email"), password: text("password") };
    void attempt(() => signIn(isNew.value ? { ...credentials, name: text("name") } : credentials));
  };

  return (
    <section class="welcome">
      <div class="words">
        <Title>{t("welcome")}</Title>
        <p class="lead">{t("welcomeLead")}</p>
        <form class="card" onSubmit={submit} noValidate aria-busy={isBusy.value}>
          <fieldset class="switch">
            <legend class="unseen">{t("account")}</legend>
            {[true, false].map((value) => (
              <label key={String(value)}>
                <input
                  type="radio"
                  name="kind"
                  checked={isNew.value === value}
                  onChange={() => {
                    isNew.value = value;
                    failure.value = undefined;
                  }}
                />
                <span>{t(value ? "register" : "signIn")}</span>
              </label>
            ))}
          </fieldset>
          {isNew.value && <Field label={t("yourName")} name="name" autoComplete="name" error={errors.name} required />}
          <Field label={t("email")} name="email" type="email" autoComplete="username" error={errors.email} required />
          <Field
            label={t("password")}
            name="password"
            type="password"
            autoComplete={isNew.value ? "new-password" : "current-password"}
            hint={isNew.value ? t("passwordHint") : undefined}
            error={errors.password}
            required
          />
          {failure.value !== undefined && !isAboutFields && <Failure of={failure.value} />}
          <button type="submit" class="button" disabled={isBusy.value}>
            {t(isNew.value ? "registerNow" : "signInNow")}
          </button>
        </form>
      </div>
      <SampleFilm />
    </section>
  );
}

/** The video of the page at /, as a sample. */
export function SampleFilm() {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return (
    <figure class="sample">
      <video
        class="screen"
        src="/home/film.mp4"
        poster="/home/poster.jpg"
        width="648"
        height="1152"
        aria-label={t("sampleFilm")}
        autoPlay={!isCalm}
        controls
        muted
        loop
        playsInline
      />
      <figcaption class="soft">{t("sampleCaption")}</figcaption>
    </figure>
  );
}
