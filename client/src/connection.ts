import type { Tokens } from "./api.ts";
import { readError } from "./errors.ts";

type Fetch = (url: string, init?: RequestInit) => Response | Promise<Response>;

/** The tokens of a login, or a function that reads them from their storage. */
export type Session = Tokens | (() => Tokens | Promise<Tokens>);

export type ConnectOptions = {
  /** An access token or an API token. */
  readonly token?: string | undefined;
  /**
   * The tokens of a login, instead of `token`: an expired access token is then replaced by means of the refresh token.
   * Pass a function if other tabs or processes share the tokens: it is called before each refresh, because a refresh
   * token works once.
   */
  readonly session?: Session | undefined;
  /** Receives the tokens after each refresh. Store both: the old refresh token no longer works. */
  readonly onRefresh?: ((tokens: Tokens) => void | Promise<void>) | undefined;
  /** Replaces the global `fetch`, for example with `app.request` in a test. */
  readonly fetch?: Fetch | undefined;
};

const refreshTimeoutMs = 30_000;

/** Sends requests with the current token, and refreshes it when the service rejects it. */
export class Connection {
  readonly baseUrl: string;
  /** False if a caller's `fetch` is used. */
  readonly usesGlobalFetch: boolean;
  readonly #options: ConnectOptions;
  #tokens: Tokens | undefined;
  #refreshing: Promise<Tokens | undefined> | undefined;

  constructor(url: string, options: ConnectOptions) {
    this.baseUrl = url.replace(/\/+$/, "");
    this.usesGlobalFetch = options.fetch === undefined;
    this.#options = options;
  }

  get canRefresh(): boolean {
    return this.#options.session !== undefined;
  }

  /** A `fetch` for this service. `path` may also be a whole URL. */
  fetch = (path: string, init: RequestInit = {}): Promise<Response> => {
    const canRepeat = !(init.body instanceof ReadableStream);
    return this.withToken((token) => this.send(path, init, token), canRepeat);
  };

  /** Sends a request once. An authorization header of the request takes precedence over the token. */
  async send(path: string, init: RequestInit, token: string | undefined): Promise<Response> {
    const { fetch = globalThis.fetch } = this.#options;
    const headers = new Headers(init.headers);
    if (token !== undefined && !headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
    return fetch(path.startsWith("/") ? `${this.baseUrl}${path}` : path, { ...init, headers });
  }

  /** Runs `send`, and retries it with a new token if the first is refused. */
  async withToken(send: (token: string | undefined) => Promise<Response>, canRepeat = true): Promise<Response> {
    const token = await this.#currentToken();
    const response = await send(token);
    if (token === undefined || !this.canRefresh || !(await isTokenRefused(response))) return response;
    const newToken = await this.#tokenAfter(token);
    if (newToken === undefined || !canRepeat) return response;
    await response.body?.cancel();
    return send(newToken);
  }

  async #currentToken(): Promise<string | undefined> {
    const { token, session } = this.#options;
    if (session === undefined) return token;
    this.#tokens ??= await read(session);
    return this.#tokens.accessToken;
  }

  /** A token to replace a refused one; undefined if the login has ended. Concurrent requests share one refresh. */
  async #tokenAfter(refused: string): Promise<string | undefined> {
    if (this.#tokens && this.#tokens.accessToken !== refused) return this.#tokens.accessToken;
    this.#refreshing ??= this.#newTokens(refused).finally(() => {
      this.#refreshing = undefined;
    });
    return (await this.#refreshing)?.accessToken;
  }

  async #newTokens(refused: string): Promise<Tokens | undefined> {
    const { session } = this.#options;
    const known = typeof session === "function" ? await session() : this.#tokens;
    const isRefused = known === undefined || known.accessToken === refused;
    this.#tokens = isRefused ? known && (await this.#refresh(known.refreshToken)) : known;
    return this.#tokens;
  }

  async #refresh(refreshToken: string): Promise<Tokens | undefined> {
    const request = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ refreshToken }),
      signal: AbortSignal.timeout(refreshTimeoutMs),
    };
    const response = await this.send("/api/auth/refresh", request, undefined);
    if (response.status === 401) return undefined;
    if (!response.ok) throw await readError(response);
    const { accessToken, refreshToken: next } = await response.json();
    const tokens = { accessToken, refreshToken: next };
    await this.#options.onRefresh?.(tokens);
    return tokens;
  }
}

const read = async (session: Session): Promise<Tokens> => (typeof session === "function" ? session() : session);

/** Other responses with 401 concern a password. */
async function isTokenRefused(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const { code } = await readError(response.clone());
  return code === "invalid_token";
}
