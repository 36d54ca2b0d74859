import { type Client, connect } from "../index.ts";
import type { CredentialFile } from "./credentials.ts";
import { NotLoggedInError } from "./exit-codes.ts";
import type { Output } from "./output.ts";

export const defaultUrl = "http://127.0.0.1:3000";

/** The values that every command needs. */
export type Context = {
  readonly url: string;
  readonly credentials: CredentialFile;
  readonly output: Output;
  /** Aborts with an InterruptedError. */
  readonly signal: AbortSignal;
  /** REELWRIGHT_TOKEN: used instead of a stored login. */
  readonly token: string | undefined;
};

/** A client with the token of the environment, else with the stored login. */
export async function signedInClient({ url, credentials, token }: Context): Promise<Client> {
  if (token !== undefined) return connect(url, { token });
  const credential = await credentials.find(url);
  if (!credential) throw new NotLoggedInError(`There is no login for ${url}: run "reelwright login" first.`);
  if ("token" in credential) return connect(url, { token: credential.token });
  return connect(url, {
    // read each time, because another command may have refreshed them
    session: async () => {
      const stored = await credentials.find(url);
      return stored && "tokens" in stored ? stored.tokens : credential.tokens;
    },
    onRefresh: (tokens) => credentials.replaceTokens(url, tokens),
  });
}
