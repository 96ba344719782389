import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { callerOf, clientAddress, networkOf, type TrustProxy } from './client-address.ts';

function addressOf(trust: TrustProxy, peer: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddress(trust)({ socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage);
}

describe('the address of a client', () => {
  it.each<[string, TrustProxy, string, string | undefined, string]>([
    ['is the peer when no proxy is trusted', false, '9.9.9.9', '1.1.1.1', '9.9.9.9'],
    ['is the peer when no hop is trusted', 0, '9.9.9.9', '1.1.1.1', '9.9.9.9'],
    ['is the peer when the proxy says nothing', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['is what the one proxy says', 1, '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['cannot be forged before the one proxy', 1, '10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['is behind two hops', 2, '10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
    ['is the furthest known when hops are missing', 3, '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['stops at an entry that is no address', 2, '10.0.0.1', '6.6.6.6, unknown, 10.0.0.2', '10.0.0.2'],
    ['stops at an empty entry', 1, '10.0.0.1', '6.6.6.6, ', '10.0.0.1'],
    ['is what a known proxy says', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['is not what a stranger says', ['10.0.0.0/8'], '9.9.9.9', '1.1.1.1', '9.9.9.9'],
    [
      'passes every known proxy',
      ['10.0.0.0/8', '172.16.0.1'],
      '10.0.0.1',
      '6.6.6.6,1.1.1.1, 172.16.0.1',
      '1.1.1.1',
    ],
    ['cannot be forged as a known proxy', ['10.0.0.0/8'], '10.0.0.1', '10.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['is the outermost when all are known', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['stops at nonsense behind a known proxy', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, nonsense', '10.0.0.1'],
    ['knows proxies by IPv6 range', ['fd00::/8'], 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['knows an IPv4 proxy in IPv6 clothes', ['10.0.0.0/8'], '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['comes without port', 1, '10.0.0.1', '1.1.1.1:5678', '1.1.1.1'],
    ['comes without brackets and port', 1, '10.0.0.1', '[2001:DB8::5]:443', '2001:db8::5'],
    ['comes without zone', false, 'fe80::1%eth0', undefined, 'fe80::1'],
    ['is IPv4 when mapped in hexadecimal', 1, '10.0.0.1', '::ffff:102:304', '1.2.3.4'],
  ])('%s', (_name, trust, peer, forwarded, address) => {
    expect(addressOf(trust, peer, forwarded)).toBe(address);
  });

  it.each<[string, TrustProxy, string]>([
    ['a number of hops', 2, '1.1.1.1'],
    ['their addresses', ['10.0.0.0/8'], '1.1.1.1'],
  ])('is found in a header of 8 KB by reading as far as proxies by %s reach', (_name, trust, address) => {
    const forged = '::1,'.repeat(2_000);
    const read = vi.spyOn(String.prototype, 'trim');
    try {
      expect(addressOf(trust, '10.0.0.1', `${forged}1.1.1.1, 10.0.0.2`)).toBe(address);
      expect(read).toHaveBeenCalledTimes(2);
    } finally {
      read.mockRestore();
    }
  });

  it('is looked for among the last 32 entries, though all are of known proxies', () => {
    const entries = Array.from({ length: 600 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    expect(addressOf(['10.0.0.0/8'], '10.9.9.9', entries.join())).toBe(entries.at(-32));
  });

  it('caches the proxy lookup of an address in a bounded cache', () => {
    const clientOf = clientAddress(['10.0.0.0/8']);
    const from = (peer: string): string =>
      clientOf({ socket: { remoteAddress: peer }, headers: {} } as unknown as IncomingMessage);
    const lookUp = vi.spyOn(BlockList.prototype, 'check');
    try {
      for (const peer of ['1.1.1.1', '10.0.0.1', '1.1.1.1', '10.0.0.1']) expect(from(peer)).toBe(peer);
      expect(lookUp).toHaveBeenCalledTimes(2);
      for (let i = 0; i < 10_000; i += 1) from(`2.2.${i >> 8}.${i & 255}`);
      lookUp.mockClear();
      from('1.1.1.1');
      expect(lookUp).toHaveBeenCalledTimes(1);
    } finally {
      lookUp.mockRestore();
    }
  });

  it.each(['10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', 'proxy', '10.0.0.0/-1'])(
    'cannot be derived with the range `%s`',
    (range) => {
      expect(() => clientAddress([range])).toThrow(`\`${range}\` is neither an address nor a CIDR range`);
    },
  );
});

describe('a caller', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
  ])('%s is counted as %s', (address, caller) => {
    expect(callerOf(address)).toBe(caller);
  });
});

it.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2::9', '2001:db8:1::/48'],
  ['2001:db8::9', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(callerOf(address))).toBe(network);
});
