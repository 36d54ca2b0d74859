import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { DomainError } from "../../errors.ts";

type IpAddress = { readonly address: string; readonly family: number };

/** Resolves a host name to all its addresses. */
type DnsResolver = (hostname: string) => Promise<readonly IpAddress[]>;

export type SsrfGuard = {
  /** Ports that are allowed besides 80 and 443. */
  readonly extraPorts: readonly number[];
  /** Allows private addresses: for tests and closed networks. */
  readonly allowPrivateNetwork: boolean;
  readonly resolve: DnsResolver;
};

/** An allowed URL with its pinned address: the one that was validated and that the request must connect to. */
export type PinnedUrl = { readonly url: URL; readonly address: IpAddress };

export const systemResolver: DnsResolver = (hostname) => lookup(hostname, { all: true });

const defaultPorts: Readonly<Record<string, number | undefined>> = { "http:": 80, "https:": 443 };

const notAllowed = (path: string, reason: string) => new DomainError("url_not_allowed", { path, reason });

/** Validates all addresses of the host, and pins the first. Throws url_not_allowed or url_unreachable for `path`. */
export async function pinUrl(text: string, path: string, guard: SsrfGuard): Promise<PinnedUrl> {
  const url = parseAllowedUrl(text, path, guard);
  const addresses = await resolveHost(url, path, guard);
  requirePublic(addresses, path, guard);
  return { url, address: addresses[0]! }; // safe because resolveHost throws instead of returning none
}

function requirePublic(addresses: readonly IpAddress[], path: string, { allowPrivateNetwork }: SsrfGuard): void {
  if (allowPrivateNetwork || addresses.every(isPublic)) return;
  throw notAllowed(path, "its host is not on the public network");
}

/** Validates the URL itself, without DNS. Throws url_not_allowed. */
export function parseAllowedUrl(text: string, path: string, guard: SsrfGuard): URL {
  if (!URL.canParse(text)) throw notAllowed(path, "it is not an absolute URL");
  const url = new URL(text);
  if (!Object.hasOwn(defaultPorts, url.protocol)) throw notAllowed(path, "only http and https are supported");
  if (url.username || url.password) throw notAllowed(path, "it contains a user name or password");
  if (![80, 443, ...guard.extraPorts].includes(portOf(url))) throw notAllowed(path, "its port is not allowed");
  requirePublic(literalAddress(url), path, guard);
  return url;
}

/** The host's address if the host is an IP literal, else none. */
function literalAddress(url: URL): readonly IpAddress[] {
  const host = hostOf(url);
  const family = isIP(host);
  return family ? [{ address: host, family }] : [];
}

export const portOf = ({ port, protocol }: URL): number => (port ? Number(port) : (defaultPorts[protocol] ?? 0));

/** The host without the brackets that a URL puts around IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

async function resolveHost(url: URL, path: string, { resolve }: SsrfGuard): Promise<readonly IpAddress[]> {
  const literal = literalAddress(url);
  if (literal.length > 0) return literal;
  const found = await resolve(hostOf(url)).catch(() => []);
  if (found.length === 0) {
    throw new DomainError("url_unreachable", { path, reason: "its host name could not be resolved" });
  }
  return found;
}

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** True if the address is reachable on the internet. Mapped, translated and tunnelled forms of private ones are not. */
function isPublic({ address }: IpAddress): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalUnicast);
}
