/** What part of a list is wanted. `after` is the cursor that the page before gave. */
export type PageRequest = { readonly limit: number; readonly after?: string };

export type Page<T> = { readonly items: readonly T[]; readonly next?: string };

export const wholeList: PageRequest = { limit: 1000 };
