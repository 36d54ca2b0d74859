import { computed, signal } from "@preact/signals";

const path = signal(location.pathname);

export type Route =
  | { readonly screen: "home" }
  | { readonly screen: "project"; readonly projectId: string }
  | { readonly screen: "film"; readonly projectId: string; readonly filmId: string }
  | { readonly screen: "review"; readonly secret: string }
  | { readonly screen: "missing" };

export const projectPath = (projectId: string) => `/studio/projects/${projectId}`;
export const filmPath = (projectId: string, filmId: string) => `${projectPath(projectId)}/films/${filmId}`;

const patterns: readonly (readonly [RegExp, (parts: readonly string[]) => Route])[] = [
  [/^\/studio\/?$/, () => ({ screen: "home" })],
  [/^\/studio\/projects\/(\w+)$/, ([projectId = ""]) => ({ screen: "project", projectId })],
  [
    /^\/studio\/projects\/(\w+)\/films\/(\w+)$/,
    ([projectId = "", filmId = ""]) => ({ screen: "film", projectId, filmId }),
  ],
  [/^\/studio\/review\/(\w+)$/, ([secret = ""]) => ({ screen: "review", secret })],
];

export const route = computed((): Route => {
  for (const [pattern, make] of patterns) {
    const found = pattern.exec(path.value);
    if (found) return make(found.slice(1));
  }
  return { screen: "missing" };
});

export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  path.value = location.pathname;
  scrollTo(0, 0);
}

/** Links of the page change the screen without loading it again; others, and those in new tabs, are the browser's. */
function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest?.("a");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || !/^\/studio(\/|$)/.test(link.pathname)) return;
  event.preventDefault();
  go(link.pathname);
}

export function startRouter(): void {
  document.addEventListener("click", followLink);
  addEventListener("popstate", () => {
    path.value = location.pathname;
  });
}
