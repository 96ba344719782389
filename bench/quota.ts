import type { IncomingMessage } from 'node:http';
import { Gate } from '../packages/server/src/http/gate.ts';
import { extractApiKey } from '../packages/server/src/http/extract-api-key.ts';
import type { TrustProxy } from '../packages/server/src/platform/client-address.ts';
import { MemoryKeyStore } from '../packages/server/src/platform/key-store.ts';
import { makeKey } from '../packages/server/src/platform/key-text.ts';
import { createLog } from '../packages/server/src/platform/log.ts';
import type { QuotaMode } from '../packages/server/src/platform/quota.ts';
import { systemSecretBytes } from '../packages/server/src/platform/random.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { cpuUsPerRequest, startServer } from './http-load.ts';
import { median } from './part.ts';

/**
 * The cost of identifying callers and counting them: first the gate alone, in a loop, also behind proxies, then the
 * same cached request over a socket, with the quota off and on, without a key and with one in each place.
 */
const LIMIT_US = 5;
const path = '/api/v1/perps/oi';
const rounds = Number(process.env.ROUNDS ?? 5);
const requests = Number(process.env.REQUESTS ?? 20_000);
const LOOPS = 200_000;

const key = makeKey('pro', systemSecretBytes);
const callers = {
  anonymous: { url: path, headers: {} },
  'X-API-Key': { url: path, headers: { 'x-api-key': key } },
  Bearer: { url: path, headers: { authorization: `Bearer ${key}` } },
  api_key: { url: `${path}?api_key=${key}`, headers: {} },
} satisfies Record<string, { url: string; headers: Record<string, string> }>;
type Caller = keyof typeof callers;
const names = Object.keys(callers) as Caller[];

/** Microseconds of processor time that the gate takes for a request. */
function gateUs(quota: QuotaMode, caller: Caller, trustProxy: TrustProxy = false): number {
  const log = createLog({ level: 'silent' });
  const keys = new MemoryKeyStore({ [key]: { id: 'bench', tier: 'pro' } });
  const gate = new Gate({ clock: systemClock, log, keys, quota, trustProxy });
  const { url, headers } = callers[caller];
  const forwarded = trustProxy === false ? {} : { 'x-forwarded-for': '203.0.113.9, 2001:db8:5::7' };
  const socket = { remoteAddress: '::ffff:127.0.0.1' };
  const request = { url, headers: { ...headers, ...forwarded }, socket } as unknown as IncomingMessage;
  const loop = (times: number): number => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i += 1) {
      const given = extractApiKey(request);
      gate.admit(request, given.key === undefined ? {} : (gate.recall(given.key) ?? {}));
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times;
  };
  loop(LOOPS / 4);
  return median(Array.from({ length: rounds }, () => loop(LOOPS)));
}

const start = (quota: QuotaMode) => startServer('http-subject.mjs', [quota, key]);

console.log('The gate alone, µs per request');
const gate = names.map((name) => ({
  name,
  off: gateUs('off', name),
  report: gateUs('report', name),
  'behind a hop': gateUs('report', name, 1),
  'behind a list': gateUs('report', name, ['127.0.0.1']),
}));
console.table(
  Object.fromEntries(
    gate.map(({ name, ...us }) => [
      name,
      Object.fromEntries(Object.entries(us).map(([mode, value]) => [mode, value.toFixed(2)])),
    ]),
  ),
);

const servers = { off: await start('off'), report: await start('report') };
const costs = Object.fromEntries(
  names.map((name) => [name, { off: [] as number[], report: [] as number[] }]),
);
for (let round = 0; round <= rounds; round += 1) {
  for (const name of names) {
    const { url, headers } = callers[name];
    const request = { path: url, headers, acceptEncoding: 'br', connections: 16, requests };
    for (const mode of ['off', 'report'] as const) {
      const us = await cpuUsPerRequest(servers[mode], request);
      // The first round warms everything up.
      if (round > 0) costs[name]?.[mode].push(us);
    }
  }
}
for (const { child } of Object.values(servers)) child.disconnect();
console.log('\nThe whole request, µs of processor time');
console.table(
  Object.fromEntries(
    Object.entries(costs).map(([name, { off, report }]) => {
      const [without, with_] = [median(off), median(report)];
      return [
        name,
        { off: without.toFixed(1), report: with_.toFixed(1), more: (with_ - without).toFixed(1) },
      ];
    }),
  ),
);
const worstUs = Math.max(...gate.flatMap(({ name: _, off: __, ...us }) => Object.values(us)));
console.log(`counting takes at most ${worstUs.toFixed(2)} µs (at most ${LIMIT_US})`);
if (!(worstUs < LIMIT_US)) process.exitCode = 1;
