import { venues } from '@crosstape/venues';
import { cpuUsPerRequest, startServer } from './http-load.ts';
import { median } from './part.ts';

/**
 * What several venues in one call cost: processor time per byte served of a warm `/perps/oi` over all venues against
 * one over the primary venue alone, while one of the venues is updated every second. The two take turns; medians are
 * compared.
 */
const ids = venues.map(({ id }) => id);
const coins = Array.from({ length: 230 }, (_, i) => `C${i.toString(36).toUpperCase()}`).join(',');
const paths = {
  one: '/api/v1/perps/oi',
  all: `/api/v1/perps/oi?venues=${ids.join(',')}`,
  allCoins: `/api/v1/perps/oi?coins=${coins.split(',').slice(0, 50).join(',')}&venues=${ids.join(',')}`,
};
/** Updated one contract at a time, so that there is always something new. */
const RENEWED = 'binance';
const rounds = 5;
const requests = 10_000;

const server = await startServer('http-subject.mjs', ['report', '', RENEWED]);

type Name = keyof typeof paths;
const names = Object.keys(paths) as Name[];
const bytes = {} as Record<Name, number>;
const costs: Record<Name, number[]> = { one: [], all: [], allCoins: [] };
for (const name of names) {
  const answer = await fetch(`http://127.0.0.1:${server.port}${paths[name]}`, {
    headers: { 'Accept-Encoding': 'identity' },
  });
  bytes[name] = (await answer.arrayBuffer()).byteLength;
  if (answer.status !== 200) throw new Error(`${paths[name]} gave ${answer.status}`);
}
for (let round = 0; round <= rounds; round += 1) {
  for (const name of names) {
    const load = { path: paths[name], acceptEncoding: 'identity', connections: 32, requests };
    const us = await cpuUsPerRequest(server, load);
    // The first round warms everything up.
    if (round > 0) costs[name].push((us / bytes[name]) * 1_000);
  }
}
server.child.disconnect();

console.table(
  Object.fromEntries(
    names.map((name) => [
      name,
      {
        bytes: bytes[name],
        'median ns/byte': median(costs[name]).toFixed(3),
        ratio: (median(costs[name]) / median(costs.one)).toFixed(3),
      },
    ]),
  ),
);
const ratio = Math.max(...names.map((name) => median(costs[name]) / median(costs.one)));
console.log(`ratio ${ratio.toFixed(3)} (at most 1.5)`);
if (ratio > 1.5) process.exitCode = 1;
