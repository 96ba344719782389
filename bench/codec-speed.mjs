/**
 * Times gunzip alone, both steps, and decoding alone, on the members of a file. Runs the built core in a process of
 * its own, without a loader: a loader that transfers a single ArrayBuffer slows down every typed array in its process.
 *
 *     node codec-speed.mjs <file of members> <JSON of [trades, bytes] of each> <rounds>
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { CHUNK_TRADES_MAX, createTickColumns, decodeTicks } from '@crosstape/core';

const [membersPath = '', indexPath = '', rounds = '5'] = process.argv.slice(2);
const bytes = readFileSync(membersPath);
let end = 0;
const chunks = JSON.parse(readFileSync(indexPath, 'utf8')).map(([trades, length]) => {
  end += length;
  const member = bytes.subarray(end - length, end);
  return { trades, member, payload: gunzipSync(member) };
});

function measure(name, some) {
  if (some.length === 0) return;
  const into = createTickColumns(CHUNK_TRADES_MAX);
  const ways = {
    gunzip: ({ member }) => gunzipSync(member),
    'gunzip and decode': ({ member }) => decodeTicks(gunzipSync(member), into),
    decode: ({ payload }) => decodeTicks(payload, into),
  };
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  // The first two rounds only warm up.
  for (let round = -2; round < Number(rounds); round += 1) {
    for (const [way, run] of Object.entries(ways)) {
      const before = process.cpuUsage();
      for (const chunk of some) run(chunk);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times[way].push(user + system);
    }
  }
  const trades = some.reduce((sum, chunk) => sum + chunk.trades, 0);
  const gunzip = median(times.gunzip);
  console.log(`speed, ${name}: ${some.length} of ${Math.round(trades / some.length)} trades each`);
  for (const [way, list] of Object.entries(times)) {
    const perTrade = ((median(list) * 1000) / trades).toFixed(1).padStart(6);
    const speed = (gunzip / median(list)).toFixed(2);
    console.log(`  ${way.padEnd(30)} ${perTrade} ns a trade   ${speed} of the speed of gunzip`);
  }
  console.log('');
}

function median(list) {
  return list.toSorted((a, b) => a - b)[list.length >> 1];
}

measure('all chunks', chunks);
const large = chunks.filter(({ trades }) => trades >= 4096);
measure('chunks of 4,096 trades and more', large);
