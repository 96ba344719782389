import type { IncomingMessage } from 'node:http';
import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { KeyStore } from '../platform/key-store.ts';
import type { Log } from '../platform/log.ts';
import { Gate } from './gate.ts';

const uncounted = { count: () => undefined } as unknown as KeyStore;

function open(): Gate {
  const options = { clock: new ManualClock(0), log: {} as Log, keys: uncounted, trustProxy: false } as const;
  return new Gate({ ...options, quota: 'enforce' });
}

function from(remoteAddress: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: {} } as unknown as IncomingMessage;
}

/** Number of admitted requests. */
function admitted(tries: number, ask: (i: number) => { readonly refusal?: unknown }): number {
  return Array.from({ length: tries }, (_, i) => ask(i)).filter(({ refusal }) => !refusal).length;
}

it('admits 3,000 pages a minute of an address, each by its cost', () => {
  const gate = open();
  expect(admitted(4_000, () => gate.exempt(from('192.0.2.1')))).toBe(3_000);
  expect(admitted(1_000, () => gate.exempt(from('192.0.2.2'), 10))).toBe(300);
});

it('admits 30,000 pages a minute of a network, however many addresses it has', () => {
  const gate = open();
  const addresses = Array.from({ length: 20 }, (_, i) => from(`2001:db8:1:${i}::1`));
  const all = admitted(40_000, (i) => gate.exempt(addresses[i % 20] as IncomingMessage));
  expect(all).toBe(30_000);
  expect(gate.exempt(from('2001:db8:2::1')).refusal).toBeUndefined();
});

it('admits three quotas of free keys of an address, however many keys it has, and every key of the operator', () => {
  const gate = open();
  const keyed = (address: string, id: string, tier: 'free' | 'pro' = 'free') =>
    gate.admit(from(address), { owner: { id, tier } });
  expect(admitted(300, () => keyed('192.0.2.1', 'own'))).toBe(300);
  expect(keyed('192.0.2.1', 'own').refusal).toMatchObject({ message: expect.stringContaining('300') });
  expect(admitted(2_000, (i) => keyed('192.0.2.1', `free ${i % 90}`))).toBe(600);
  const { refusal, headers } = keyed('192.0.2.1', 'another');
  expect(refusal).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('free keys') });
  expect(headers).toContain('"default";q=300;w=60');
  expect(admitted(4_000, (i) => keyed('192.0.2.1', `pro ${i % 2}`, 'pro'))).toBe(4_000);
  // A key counts wherever it is used from, and separately from anonymous requests.
  expect(keyed('198.51.100.1', 'free 1').refusal).toBeUndefined();
  expect(gate.admit(from('192.0.2.1'), {}).refusal).toBeUndefined();
  expect(gate.countBuild({ caller: 'key new', tier: 'free', address: '192.0.2.1' })).toBeDefined();
});

it('admits ten times as many of a network', () => {
  const gate = open();
  const all = admitted(20_000, (i) =>
    gate.admit(from(`2001:db8:1:${i % 20}::1`), { owner: { id: `key ${i % 400}`, tier: 'free' } }),
  );
  expect(all).toBe(9_000);
});
