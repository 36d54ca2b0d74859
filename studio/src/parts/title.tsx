import { useEffect, useRef } from "preact/hooks";
import { t } from "../words.ts";

/** The heading of a screen, which screen readers speak when the screen changes. */
export function Title({ children, quiet = false }: { children: string; quiet?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Reelwright`;
    if (!document.activeElement || document.activeElement === document.body) heading.current?.focus();
  }, [children]);
  return (
    <h1 ref={heading} tabIndex={-1} class={quiet ? "quiet" : undefined}>
      {children}
    </h1>
  );
}

/** Shown for a screen that does not exist. */
export function Missing() {
  return (
    <section class="narrow">
      <Title>{t("missing")}</Title>
      <p class="soft">{t("missingHelp")}</p>
      <p>
        <a href="/studio">{t("toFilms")}</a>
      </p>
    </section>
  );
}
