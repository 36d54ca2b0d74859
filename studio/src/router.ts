import { computed, signal } from "@preact/signals";

const path = signal(location.pathname);

type Route =
  | { readonly screen: "home" }
  | { readonly screen: "account"; readonly section: string }
  | { readonly screen: "project"; readonly projectId: string; readonly section: string }
  /** Both belong to the films section. */
  | { readonly screen: "film"; readonly projectId: string; readonly section: ""; readonly filmId: string }
  /** Belongs to the tables section. */
  | { readonly screen: "table"; readonly projectId: string; readonly section: "tables"; readonly batchId: string }
  | { readonly screen: "work"; readonly projectId: string; readonly section: ""; readonly workId: string }
  | { readonly screen: "review"; readonly secret: string }
  | { readonly screen: "missing" };

export const projectPath = (projectId: string) => `/studio/projects/${projectId}`;
/** The path of a project's section; films are at the path of the project. */
export const sectionPath = (projectId: string, section: string) =>
  section === "" ? projectPath(projectId) : `${projectPath(projectId)}/${section}`;
export const filmPath = (projectId: string, filmId: string) => `${projectPath(projectId)}/films/${filmId}`;
export const workPath = (projectId: string, workId: string) => `${projectPath(projectId)}/works/${workId}`;

/** The list without an id; `new` is the form. */
export const tablesPath = (projectId: string, batchId = "") =>
  `${projectPath(projectId)}/tables${batchId && `/${batchId}`}`;

const patterns: readonly (readonly [RegExp, (parts: readonly string[]) => Route])[] = [
  [/^\/studio\/?$/, () => ({ screen: "home" })],
  [/^\/studio\/(projects|usage|keys)$/, ([section = ""]) => ({ screen: "account", section })],
  [
    /^\/studio\/projects\/(\w+)(?:\/(\w+))?$/,
    // films and works have one list
    ([projectId = "", section = ""]) => ({ screen: "project", projectId, section: section === "works" ? "" : section }),
  ],
  [
    /^\/studio\/projects\/(\w+)\/films\/(\w+)$/,
    ([projectId = "", filmId = ""]) => ({ screen: "film", projectId, section: "", filmId }),
  ],
  [
    /^\/studio\/projects\/(\w+)\/tables\/(\w+)$/,
    ([projectId = "", batchId = ""]) => ({ screen: "table", projectId, section: "tables", batchId }),
  ],
  [
    /^\/studio\/projects\/(\w+)\/works\/(\w+)$/,
    ([projectId = "", workId = ""]) => ({ screen: "work", projectId, section: "", workId }),
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

/** Handles links of the page without reloading; the browser handles others and those in new tabs. */
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
