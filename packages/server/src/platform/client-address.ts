import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, type Socket } from 'node:net';

/** Entries of `X-Forwarded-For` that are read, from the right: the rest may be forged. */
const ENTRIES_MAX = 32;
/** Longer entries are not addresses. */
const ENTRY_CHARS_MAX = 80;
/** Beyond this the oldest entries are dropped. */
const REMEMBERED_MAX = 10_000;

/**
 * Whose `X-Forwarded-For` is trusted: none, that of a known number of proxies in a row in front of the service, or that
 * of proxies at known addresses (single ones or CIDR ranges).
 */
export type TrustProxy = false | number | readonly string[];

/** The address that a request comes from, as far as it can be trusted. */
export type ClientAddress = (request: IncomingMessage) => string;

/** The caller that a request counts for. Throws as `clientAddress` does. */
export function callerBehind(trust: TrustProxy): (request: IncomingMessage) => string {
  const addressOf = clientAddress(trust);
  const caller = remembering(callerOf);
  return (request) => caller(addressOf(request));
}

/** Throws a `RangeError` that names what is wrong with `trust`. */
export function clientAddress(trust: TrustProxy): ClientAddress {
  if (trust === false || trust === 0) return (request) => peerAddress(request.socket);
  const read = remembering((text) => plainAddress(text) ?? '');
  if (typeof trust === 'number') return (request) => behindHops(chainOf(request, read), trust);
  const proxies = proxyList(trust);
  const isProxy = remembering((address) => proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'));
  return (request) => behindProxies(chainOf(request, read), isProxy);
}

/** The peer of a connection: a client, or the last proxy in front of the service. */
export function peerAddress(socket: Pick<Socket, 'remoteAddress'>): string {
  return plainAddress(socket.remoteAddress ?? '') ?? '';
}

/** The peer, then the peer that each proxy reports, parsed lazily. Ends at the first invalid entry. */
function* chainOf(request: IncomingMessage, read: (text: string) => string): Generator<string> {
  yield read(request.socket.remoteAddress ?? '');
  const forwarded = request.headers['x-forwarded-for'];
  const text = Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '');
  let end = text.length;
  for (let entries = 0; entries < ENTRIES_MAX && end >= 0; entries += 1) {
    const comma = text.lastIndexOf(',', end - 1);
    const entry = text.slice(comma + 1, end).trim();
    const address = entry.length > ENTRY_CHARS_MAX ? '' : read(entry);
    if (address === '') return;
    yield address;
    end = comma;
  }
}

/** Every proxy adds one entry, so the client is that many entries away; entries beyond can be forged. */
function behindHops(chain: Iterable<string>, hops: number): string {
  let client = '';
  let passed = 0;
  for (const address of chain) {
    client = address;
    if (passed === hops) break;
    passed += 1;
  }
  return client;
}

/** The first address that is not one of our proxies. */
function behindProxies(chain: Iterable<string>, isProxy: (address: string) => boolean): string {
  let client = '';
  for (const address of chain) {
    client = address;
    if (!isProxy(address)) break;
  }
  return client;
}

/**
 * Parsing an address or matching it against a list is the most expensive part of counting a request. The cache drops
 * its older half at once, because removing the oldest entries one by one is slow.
 */
function remembering<T extends string | boolean>(make: (text: string) => T): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return (text) => {
    const known = young.get(text) ?? old.get(text);
    if (known !== undefined) return known;
    if (young.size >= REMEMBERED_MAX / 2) {
      old = young;
      young = new Map();
    }
    // A part of a header would keep all of it in memory.
    const own = Buffer.from(text).toString();
    const value = make(own);
    young.set(own, value);
    return value;
  };
}

function proxyList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix, ...rest] = range.split('/');
    const family = isIP(address);
    const bitsMax = family === 4 ? 32 : 128;
    const bits = prefix === undefined ? bitsMax : Number(prefix);
    const isPrefix = prefix === undefined || /^\d{1,3}$/.test(prefix);
    if (family === 0 || rest.length > 0 || !isPrefix || bits > bitsMax) {
      throw new RangeError(`\`${range}\` is neither an address nor a CIDR range`);
    }
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Without port, brackets and zone; an IPv4-mapped IPv6 address becomes IPv4. `undefined` if it is not an address. */
function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1];
  if (withPort !== undefined) return isIPv4(withPort) ? withPort : undefined;
  const inner = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
  const address = inner.split('%', 1)[0] ?? '';
  if (isIP(address) !== 6) return undefined;
  const groups = expand(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return address.toLowerCase();
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** The unit that quotas count: an IPv4 address, or the /64 of an IPv6 address, which one household has. */
export function callerOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = expand(address).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The network of a caller named by `callerOf`: a /48, or a /24 of IPv4, which one customer of a provider may have. */
export function networkOf(caller: string): string {
  if (isIPv4(caller)) return `${caller.slice(0, caller.lastIndexOf('.'))}.0/24`;
  return caller.endsWith('::/64') ? `${caller.split(':').slice(0, 3).join(':')}::/48` : caller;
}

/** The eight groups of an IPv6 address. */
function expand(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text = dotted
    ? `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
    : address;
  const [head = '', tail] = text.split('::');
  const left = groupsOf(head);
  if (tail === undefined) return left;
  const right = groupsOf(tail);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function groupsOf(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}
