import { password as askPassword, text as askText, isCancel } from "@clack/prompts";
import { connect, type Tokens, unwrap } from "../index.ts";
import type { Context } from "./context.ts";
import { InterruptedError, UsageError } from "./exit-codes.ts";

type LoginOptions = {
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly tokenStdin?: boolean;
  /** The name of a new user. */
  readonly register?: string;
};

/** Stores a login, or an API token. */
export async function login(context: Context, options: LoginOptions): Promise<void> {
  if (options.tokenStdin) return storeToken(context, await readLine());
  const email = options.email ?? (await askFor("E-mail", (message) => askText({ message, output: process.stderr })));
  const password = options.passwordStdin
    ? await readLine()
    : await askFor("Password", (message) => askPassword({ message, output: process.stderr }));
  const { user, tokens } = await signIn(context, { email, password }, options.register);
  await context.credentials.add(context.url, { email: user.email, tokens });
  context.output.result({ url: context.url, user }, () => `Logged in to ${context.url} as ${user.email}.`);
}

async function signIn({ url }: Context, json: { email: string; password: string }, name: string | undefined) {
  const { auth } = connect(url).api;
  const signedIn =
    name === undefined
      ? await unwrap(auth.login.$post({ json }))
      : await unwrap(auth.register.$post({ json: { ...json, name } }));
  const { user, accessToken, refreshToken } = signedIn;
  const tokens: Tokens = { accessToken, refreshToken };
  return { user, tokens };
}

/** Checks an API token before storing it. */
async function storeToken({ url, credentials, output }: Context, token: string): Promise<void> {
  const user = await unwrap(connect(url, { token }).api.auth.me.$get());
  await credentials.add(url, { token });
  output.result({ url, user }, () => `Stored a token of ${user.email} for ${url}.`);
}

/** Also ends the login at the service. An API token stays valid there. */
export async function logout({ url, credentials, output }: Context): Promise<void> {
  const credential = await credentials.find(url);
  if (credential && "tokens" in credential) {
    const { refreshToken } = credential.tokens;
    await unwrap(connect(url).api.auth.logout.$post({ json: { refreshToken } }));
  }
  await credentials.remove(url);
  output.result({ url }, () => `Logged out of ${url}.`);
}

async function askFor(label: string, ask: (label: string) => Promise<unknown>): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageError("There is no terminal to prompt in: use --email with --password-stdin, or --token-stdin.");
  }
  const answer = await ask(label);
  if (isCancel(answer)) throw new InterruptedError("Cancelled.");
  return String(answer ?? "");
}

/** Reads the first line of the standard input. */
async function readLine(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  const [line = ""] = text.split(/\r?\n/);
  if (line === "") throw new UsageError("The standard input is empty.");
  return line;
}
