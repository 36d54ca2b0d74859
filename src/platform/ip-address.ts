import ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
/** The addresses that share the first `bits` of `base`. */
export type IpRange = { readonly base: IpAddress; readonly bits: number };

/** Undefined unless the text is an address. IPv4-mapped IPv6 becomes IPv4; short forms such as 127.1 are refused. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return isAddress ? ipaddr.process(text) : undefined;
}

/** A range in CIDR notation, or one address. Undefined unless the text is either. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const base = parseIpAddress(address);
  if (!base || rest.length > 0) return undefined;
  const length = base.toByteArray().length * 8;
  if (prefix === undefined) return { base, bits: length };
  // ::ffff:10.0.0.0/104 counts the 96 bits that the IPv4 form lacks
  const bits = Number(prefix) - (address.includes(":") ? 128 - length : 0);
  return /^\d{1,3}$/.test(prefix) && bits >= 0 && bits <= length ? { base, bits } : undefined;
}

export const isInRange = (address: IpAddress, { base, bits }: IpRange): boolean =>
  address.kind() === base.kind() && address.match(base, bits);
