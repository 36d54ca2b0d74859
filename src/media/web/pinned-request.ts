import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { HttpMessage } from "../../domain/files/fetcher.ts";
import { hostOf, type PinnedUrl, portOf } from "./ssrf-guard.ts";

/**
 * Sends one request to the pinned address, so that DNS rebinding has no effect. GET, or POST if there is a message.
 * Redirects are not followed.
 */
export function requestPinned(
  { url, address }: PinnedUrl,
  signal: AbortSignal,
  message?: HttpMessage,
): Promise<IncomingMessage> {
  const host = hostOf(url);
  const options = {
    host: address.address,
    family: address.family,
    port: portOf(url),
    method: message ? "POST" : "GET",
    path: `${url.pathname}${url.search}`,
    headers: { ...message?.headers, ...fixedHeaders, host: url.host },
    // TLS checks the certificate against the host name, not the address
    ...(isIP(host) ? {} : { servername: host }),
    agent: false as const,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps(options) : requestHttp(options);
    // a 101 response closes the request without a "response" or "error" event
    const onClose = () => reject(new Error("The connection closed without a response."));
    request.once("response", resolve).once("error", reject).once("close", onClose).end(message?.body);
  });
}

const fixedHeaders = { accept: "*/*", "accept-encoding": "identity", "user-agent": "reelwright" };
