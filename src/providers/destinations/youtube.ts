import { z } from "zod";
import type { SecretBox } from "../../domain/accounts/secrets.ts";
import { DeliveryError, type DeliveryWishes, type Sender, type Sending } from "../../domain/destinations/deliveries.ts";
import type { Fetcher, HttpAnswer, HttpRequest } from "../../domain/files/fetcher.ts";
import { withoutUndefined } from "../../platform/values.ts";
import { retryAfter, sendRequest, shortened } from "./answers.ts";

type YoutubePorts = {
  readonly fetcher: Pick<Fetcher, "send">;
  readonly destinationBox: SecretBox;
  /** One address for both hosts of the API, which the operator has set. */
  readonly baseUrl?: string | undefined;
};

const Settings = z.object({ clientId: z.string() });
const Secrets = z.object({ clientSecret: z.string(), refreshToken: z.string() });

/** A multiple of 256 KiB, as the API requires of all parts but the last. */
const partBytes = 8 * 1024 ** 2;

/**
 * The resumable upload of YouTube's Data API v3. The session's URI is stored before a byte is sent, and an interrupted
 * upload asks the session how much it has: the video is made once, by the last byte of one session.
 */
export const youtubeSender = (ports: YoutubePorts): Sender => ({
  plan({ file: { sizeBytes, mimeType }, delivery: { wishes } }) {
    const hosts = hostsOf(ports.baseUrl);
    const body = videoOf(wishes);
    const token = { method: "POST", url: hosts.token, contentType: "application/x-www-form-urlencoded" };
    const begin = {
      method: "POST",
      url: sessionUrl(hosts, wishes),
      contentType: "application/json; charset=UTF-8",
      body,
    };
    const upload = { method: "PUT", url: hosts.upload, contentType: mimeType, bytes: sizeBytes };
    const signedBy = ["authorization"];
    return {
      requests: [
        { ...token, signedBy: ["client_secret", "refresh_token"] },
        { ...begin, signedBy },
        { ...upload, signedBy },
      ],
      result: {},
    };
  },

  send: (sending) => new Upload(ports, sending).run(),
});

function hostsOf(baseUrl: string | undefined) {
  const base = baseUrl?.replace(/\/+$/, "");
  return {
    token: `${base ?? "https://oauth2.googleapis.com"}/token`,
    upload: `${base ?? "https://www.googleapis.com"}/upload/youtube/v3/videos`,
  };
}

function sessionUrl({ upload }: { readonly upload: string }, { notifySubscribers }: DeliveryWishes): string {
  const url = new URL(upload);
  url.searchParams.set("uploadType", "resumable");
  url.searchParams.set("part", "snippet,status");
  if (notifySubscribers !== undefined) url.searchParams.set("notifySubscribers", `${notifySubscribers}`);
  return url.href;
}

/** The video resource. */
function videoOf(wishes: DeliveryWishes) {
  const { title = "", description, tags, categoryId } = wishes;
  const { privacy = "private", madeForKids = false, containsSyntheticMedia } = wishes;
  return {
    snippet: withoutUndefined({
      title: plain(title, 100) || "Video",
      description: description && plain(description, 5000),
      tags,
      categoryId,
    }),
    status: withoutUndefined({ privacyStatus: privacy, selfDeclaredMadeForKids: madeForKids, containsSyntheticMedia }),
  };
}

/** YouTube takes no angle brackets, and counts bytes of descriptions: what was filled in may be longer. */
function plain(text: string, max: number): string {
  let cut = text.replace(/[<>]/g, "").trim().slice(0, max);
  while (max > 100 && Buffer.byteLength(cut) > max) cut = cut.slice(0, -100);
  return cut.toWellFormed().trim();
}

type Session = { readonly uri: string; readonly offset: number };

class Upload {
  readonly #ports: YoutubePorts;
  readonly #sending: Sending;
  #token = "";

  constructor(ports: YoutubePorts, sending: Sending) {
    this.#ports = ports;
    this.#sending = sending;
  }

  async run() {
    this.#token = await this.#accessToken();
    const { session, done } = await this.#found();
    return resultOf(done ?? (await this.#upload(session ?? (await this.#begin()))));
  }

  async #accessToken(): Promise<string> {
    const { clientId } = Settings.parse(this.#sending.settings);
    const { clientSecret, refreshToken } = Secrets.parse(this.#sending.secrets);
    const form = {
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
      grant_type: "refresh_token",
    };
    const body = new URLSearchParams(form).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await this.#ask(hostsOf(this.#ports.baseUrl).token, { method: "POST", headers, body });
    const { access_token: token } = bodyOf(answer, Token);
    if (answer.status === 200 && token) return token;
    const { error = `http_${answer.status}`, error_description: said = "" } = bodyOf(answer, TokenError);
    const message = tokenSentences[error] ?? `Google gave no access token: ${shortened(said) || answer.status}`;
    throw new DeliveryError({ code: error, status: answer.status, message }, retryAfter(answer));
  }

  /** The session of an earlier attempt, and its video if it has all bytes. */
  async #found(): Promise<{ readonly session?: Session; readonly done?: HttpAnswer }> {
    const { progress } = this.#sending.delivery;
    const uri = progress.session && this.#ports.destinationBox.open(progress.session, this.#sending.delivery.id);
    if (!uri) return {};
    const { sizeBytes } = this.#sending.file;
    const headers = { "content-length": "0", "content-range": `bytes */${sizeBytes}`, ...this.#authorization() };
    const answer = await this.#ask(uri, { method: "PUT", headers });
    if (answer.status === 200 || answer.status === 201) return { done: answer };
    if (answer.status === 308) return { session: { uri, offset: receivedBytes(answer) } };
    // the session is gone, and with it the bytes that it had
    if (answer.status === 404 || answer.status === 410) return {};
    throw refused(answer);
  }

  async #begin(): Promise<Session> {
    const { file, delivery, save } = this.#sending;
    const body = JSON.stringify(videoOf(delivery.wishes));
    const headers = {
      "content-type": "application/json; charset=UTF-8",
      "content-length": `${Buffer.byteLength(body)}`,
      "x-upload-content-length": `${file.sizeBytes}`,
      "x-upload-content-type": file.mimeType,
      ...this.#authorization(),
    };
    const answer = await this.#ask(sessionUrl(hostsOf(this.#ports.baseUrl), delivery.wishes), {
      method: "POST",
      headers,
      body,
    });
    const uri = answer.headers.get("location");
    if (answer.status !== 200 || !uri) throw refused(answer);
    this.#requireGoogle(uri);
    await save({ session: this.#ports.destinationBox.seal(uri, delivery.id), sentBytes: 0 });
    return { uri, offset: 0 };
  }

  /** The next request has the access token: it is only for the API itself. */
  #requireGoogle(uri: string): void {
    const { origin, protocol, hostname } = new URL(uri);
    const isGoogle = protocol === "https:" && (hostname === "googleapis.com" || hostname.endsWith(".googleapis.com"));
    if (isGoogle || this.#isTrusted(uri)) return;
    throw new DeliveryError(
      { code: "wrong_host", message: `YouTube named an upload at another service, ${origin}.` },
      "never",
    );
  }

  async #upload({ uri, offset }: Session): Promise<HttpAnswer> {
    const { file, delivery, save } = this.#sending;
    const session = this.#ports.destinationBox.seal(uri, delivery.id);
    const { sizeBytes } = file;
    let start = offset;
    for (let isRepeated = false; ; ) {
      const end = Math.min(start + partBytes, sizeBytes);
      const body = await new Response(await file.read(start, end)).bytes();
      const headers = {
        "content-type": file.mimeType,
        "content-length": `${body.byteLength}`,
        "content-range": `bytes ${start}-${end - 1}/${sizeBytes}`,
        ...this.#authorization(),
      };
      const answer = await this.#ask(uri, { method: "PUT", headers, body });
      if (answer.status === 200 || answer.status === 201) return answer;
      if (answer.status !== 308)
        throw refused(answer, answer.status === 404 || answer.status === 410 ? "later" : undefined);
      const received = receivedBytes(answer);
      // a session that takes nothing would be asked for ever
      if (received <= start && isRepeated) throw refused(answer, "later");
      isRepeated = received <= start;
      start = Math.min(received, sizeBytes - 1);
      await save({ session, sentBytes: received });
    }
  }

  #authorization() {
    return { authorization: `Bearer ${this.#token}` };
  }

  #isTrusted(url: string): boolean {
    const { baseUrl } = this.#ports;
    return baseUrl !== undefined && new URL(url).origin === new URL(baseUrl).origin;
  }

  #ask(url: string, request: HttpRequest): Promise<HttpAnswer> {
    const bytes = request.body instanceof Uint8Array ? request.body.byteLength : 0;
    return sendRequest(this.#ports.fetcher, url, request, {
      signal: this.#sending.signal,
      bytes,
      isTrusted: this.#isTrusted(url),
    });
  }
}

/** The session has all bytes up to the last that `Range` names; without one, none. */
function receivedBytes({ headers }: HttpAnswer): number {
  const last = /^bytes=0-(\d+)$/.exec(headers.get("range") ?? "")?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}

const Token = z.object({ access_token: z.string() }).partial();
const TokenError = z.object({ error: z.string(), error_description: z.string() }).partial();
const Video = z.object({ id: z.string() });
const ApiError = z.object({
  error: z.object({ message: z.string().default(""), errors: z.array(z.object({ reason: z.string() })).default([]) }),
});

function bodyOf<Schema extends z.ZodType>({ text }: HttpAnswer, schema: Schema): Partial<z.output<Schema>> {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

function resultOf(answer: HttpAnswer) {
  const { id } = bodyOf(answer, Video);
  const { status } = answer;
  if (id !== undefined)
    return { videoId: id, url: `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`, status };
  throw new DeliveryError({ code: "no_video", status, message: "YouTube took all bytes and named no video." }, "later");
}

const tokenSentences: Readonly<Record<string, string>> = {
  invalid_grant:
    "Google refuses the refresh token: it has expired or was revoked. Connect the channel again, and store the new token.",
  invalid_client: "Google does not know the client: store the destination again with the right client id and secret.",
  unauthorized_client:
    "The refresh token is of another client: store the destination again with the token of this one.",
};

const sentences: Readonly<Record<string, string>> = {
  quotaExceeded: "The quota of the project at Google is used up: it is renewed at midnight, Pacific time.",
  dailyLimitExceeded: "The quota of the project at Google is used up: it is renewed at midnight, Pacific time.",
  uploadLimitExceeded: "The channel has uploaded as many videos as YouTube allows it in a day.",
  youtubeSignupRequired: "The account has no YouTube channel: create one, then retry.",
  authError: "Google refuses the access token.",
  insufficientPermissions: "The grant lacks the scope youtube.upload: connect the channel again with it.",
  accessNotConfigured: "The YouTube Data API is not enabled in the project at Google.",
};

const quotaReasons = ["quotaExceeded", "dailyLimitExceeded"];
/** Refusals with 403 that pass within minutes. */
const rateReasons = ["rateLimitExceeded", "userRateLimitExceeded"];

/** The error of an answer of the API, by its reason. */
function refused(answer: HttpAnswer, retry?: DeliveryError["retry"]): DeliveryError {
  const { status } = answer;
  const { error } = bodyOf(answer, ApiError);
  const reason = error?.errors[0]?.reason ?? `http_${status}`;
  const said = shortened(error?.message ?? "");
  const message = sentences[reason] ?? `YouTube answered ${status}${said && `: ${said}`}`;
  return new DeliveryError({ code: reason, status, message }, retry ?? retryOf(reason, answer));
}

function retryOf(reason: string, answer: HttpAnswer): DeliveryError["retry"] {
  if (quotaReasons.includes(reason)) return { afterSeconds: secondsToPacificMidnight(Date.now()) };
  if (reason === "uploadLimitExceeded") return { afterSeconds: 24 * 60 * 60 };
  // a token of this attempt that is refused may have been revoked: the next attempt's own says so
  if (rateReasons.includes(reason) || reason === "authError" || answer.status === 308 || answer.status < 300)
    return "later";
  return retryAfter(answer);
}

const pacificTime = new Intl.DateTimeFormat("en-US", {
  ...{ timeZone: "America/Los_Angeles", hourCycle: "h23" },
  ...{ hour: "numeric", minute: "numeric", second: "numeric" },
});

/** With some minutes more, because quotas are not renewed everywhere at once. */
export function secondsToPacificMidnight(now: number): number {
  const parts = pacificTime.formatToParts(now);
  const [hours = 0, minutes = 0, seconds = 0] = (["hour", "minute", "second"] as const).map((type) =>
    Number(parts.find((part) => part.type === type)?.value),
  );
  return 24 * 3600 - (hours * 3600 + minutes * 60 + seconds) + 5 * 60;
}
