import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { Message } from "../../domain/files/fetcher.ts";
import { hostOf, portOf, type Target } from "./address.ts";

/**
 * Sends one request to the checked address itself, so that a name which changes its mind meanwhile changes nothing: a
 * GET, or a POST when there is a message.
 */
export function openTarget({ url, address }: Target, signal: AbortSignal, message?: Message): Promise<IncomingMessage> {
  const host = hostOf(url);
  const options = {
    host: address.address,
    family: address.family,
    port: portOf(url),
    method: message ? "POST" : "GET",
    path: `${url.pathname}${url.search}`,
    headers: { ...message?.headers, ...ownHeaders, host: url.host },
    // the certificate must be the name's, not the address's
    ...(isIP(host) ? {} : { servername: host }),
    agent: false as const,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps(options) : requestHttp(options);
    // a server that turns to another protocol ends the request with neither of the two
    const withoutAnswer = () => reject(new Error("The connection ended without an answer."));
    request.once("response", resolve).once("error", reject).once("close", withoutAnswer).end(message?.body);
  });
}

const ownHeaders = { accept: "*/*", "accept-encoding": "identity", "user-agent": "reelwright" };
