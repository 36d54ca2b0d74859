import { signal } from "@preact/signals";
import { ApiError, api, type User, unwrap } from "./api.ts";

/** Null if nobody is signed in; undefined until known. */
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

/** The error that kept the user from being loaded. */
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

/** The browser's storage for replaced media; undefined if there is none. */
export const replacedMedia = async (): Promise<Cache | undefined> => globalThis.caches?.open(replacedName);

export async function signOut(): Promise<void> {
  await unwrap(api.auth.session.$delete()).catch((error: unknown) => {
    if (!isSignedOut(error)) throw error;
  });
  user.value = null;
  void globalThis.caches?.delete(replacedName);
}

/** Runs a request; an expired login leads to the sign-in. */
export async function asUser<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (isSignedOut(error)) user.value = null;
    throw error;
  }
}
