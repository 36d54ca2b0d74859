import { signal } from "@preact/signals";
import { ApiError, api, type User, unwrap } from "./api.ts";

/** Null for nobody; undefined until it is known. */
export const user = signal<User | null | undefined>(undefined);

async function loadUser(): Promise<void> {
  try {
    user.value = await unwrap(api.auth.me.$get());
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    user.value = null;
  }
}

const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "unauthenticated" || error.code === "invalid_token");

/** Why it is not known who this is. */
export const userFailure = signal<unknown>(undefined);

export async function findUser(): Promise<void> {
  await loadUser().catch((error: unknown) => {
    userFailure.value = error;
  });
}

type Credentials = { readonly email: string; readonly password: string; readonly name?: string };

/** Signs in, or registers if there is a name. */
export async function signIn(credentials: Credentials): Promise<void> {
  await unwrap(api.auth.session.$post({ json: credentials }));
  await loadUser();
}

const replacedName = "reelwright.replaced";

/** Where the browser keeps media that a person has replaced; undefined where it keeps none. */
export const replacedMedia = async (): Promise<Cache | undefined> => globalThis.caches?.open(replacedName);

export async function signOut(): Promise<void> {
  await unwrap(api.auth.session.$delete()).catch((error: unknown) => {
    if (!isSignedOut(error)) throw error;
  });
  user.value = null;
  void globalThis.caches?.delete(replacedName);
}

/** Runs a request; a login that has ended leads to the sign-in. */
export async function asUser<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (isSignedOut(error)) user.value = null;
    throw error;
  }
}
