/** `after` is the cursor that the previous page returned as `next`. */
export type PageRequest = { readonly limit: number; readonly after?: string };

export type Page<T> = { readonly items: readonly T[]; readonly next?: string };

/** Lists cut longer texts; the single resource has the whole text. */
export const maxListedCharacters = 2000;

export const largestPage: PageRequest = { limit: 1000 };
