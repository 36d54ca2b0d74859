import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { DomainError } from "../../errors.ts";

export type Address = { readonly address: string; readonly family: number };

/** Answers every address of a host name. */
export type Resolver = (hostname: string) => Promise<readonly Address[]>;

export type Guard = {
  readonly extraPorts: readonly number[];
  /** Lets in addresses that the world cannot reach: for tests and closed networks. */
  readonly allowPrivateNetwork: boolean;
  readonly resolve: Resolver;
};

/** A URL that may be read, and the one address that was checked for it. */
export type Target = { readonly url: URL; readonly address: Address };

export const systemResolver: Resolver = (hostname) => lookup(hostname, { all: true });

const defaultPorts: Readonly<Record<string, number | undefined>> = { "http:": 80, "https:": 443 };

const refused = (path: string, reason: string) => new DomainError("url_not_allowed", { path, reason });

/** `path` is the request field that named the URL. */
export async function checkUrl(text: string, path: string, guard: Guard): Promise<Target> {
  const url = readUrl(text, path, guard);
  const addresses = await addressesOf(url, path, guard);
  requirePublic(addresses, path, guard);
  return { url, address: addresses[0]! };
}

function requirePublic(addresses: readonly Address[], path: string, { allowPrivateNetwork }: Guard): void {
  if (allowPrivateNetwork || addresses.every(isPublic)) return;
  throw refused(path, "its host is not on the public network");
}

/** What can be told from a URL alone; its host is not looked up. */
export function readUrl(text: string, path: string, guard: Guard): URL {
  const notAllowed = (reason: string) => refused(path, reason);
  if (!URL.canParse(text)) throw notAllowed("it is not a full URL");
  const url = new URL(text);
  if (!Object.hasOwn(defaultPorts, url.protocol)) throw notAllowed("only http and https are read");
  if (url.username || url.password) throw notAllowed("it holds a user name or password");
  if (![80, 443, ...guard.extraPorts].includes(portOf(url))) throw notAllowed("its port is not one that is read");
  requirePublic(ownAddress(url), path, guard);
  return url;
}

/** Of a host that is written as an address. */
function ownAddress(url: URL): readonly Address[] {
  const host = hostOf(url);
  const family = isIP(host);
  return family ? [{ address: host, family }] : [];
}

export const portOf = ({ port, protocol }: URL): number => (port ? Number(port) : (defaultPorts[protocol] ?? 0));

/** Without the brackets that a URL puts around IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

async function addressesOf(url: URL, path: string, { resolve }: Guard): Promise<readonly Address[]> {
  const own = ownAddress(url);
  if (own.length > 0) return own;
  const found = await resolve(hostOf(url)).catch(() => []);
  if (found.length === 0) throw new DomainError("url_unreachable", { path, reason: "its host name is not known" });
  return found;
}

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** One that anybody on the internet could reach: mapped, translated and tunnelled forms of others are not. */
function isPublic({ address }: Address): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalUnicast);
}
