import type { Context } from "hono";
import type { ClientAddress } from "../../domain/accounts/login-throttle.ts";
import { type IpAddress, type IpRange, isInRange, parseIpAddress, parseIpRange } from "../../platform/ip-address.ts";
import type { AppEnv } from "../app-env.ts";

export type ClientAddressOf = (c: Context<AppEnv>) => ClientAddress;

/** The TCP peer, or the client that trusted proxies, addresses or CIDR ranges, name in X-Forwarded-For. */
export function clientAddress(trustedProxies: readonly string[]): ClientAddressOf {
  const ranges = trustedProxies.flatMap((text) => parseIpRange(text) ?? []);
  return (c) => {
    const peer = parseIpAddress(c.env?.requestIP?.(c.req.raw)?.address ?? "");
    // a client that has disconnected has no address
    if (!peer) return { network: "unknown", isLoopback: false };
    const client = clientBehind(peer, c.req.header("x-forwarded-for") ?? "", ranges);
    return { network: networkOf(client), isLoopback: client.range() === "loopback" };
  };
}

/**
 * The last address in X-Forwarded-For that is not a trusted proxy. Each proxy appends the address that it received the
 * request from, so every address before an untrusted one may be invented.
 */
function clientBehind(peer: IpAddress, forwardedFor: string, trusted: readonly IpRange[]): IpAddress {
  let client = peer;
  for (const entry of forwardedFor.split(",").reverse()) {
    const sender = trusted.some((range) => isInRange(client, range)) && parseEntry(entry.trim());
    if (!sender) break;
    client = sender;
  }
  return client;
}

/** Some proxies add a port, and then brackets around IPv6. */
function parseEntry(entry: string): IpAddress | undefined {
  const { bracketed, dotted } = entryPattern.exec(entry)?.groups ?? {};
  return parseIpAddress(bracketed ?? dotted ?? entry);
}

const entryPattern = /^(?:\[(?<bracketed>[^\]]*)\]|(?<dotted>[\d.]+))(?::\d{1,5})?$/;

/** The IPv4 address, or the /64 of an IPv6 address, because one client has all addresses of it. */
function networkOf(client: IpAddress): string {
  if (!("parts" in client)) return client.toString();
  const prefix = client.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(":")}::/64`;
}
