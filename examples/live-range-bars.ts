/**
 * Range bars from recorded history to live: the service builds the past, this program carries it on, trade by trade.
 *
 *     npx tsx --conditions=crosstape-source examples/live-range-bars.ts http://127.0.0.1:8080 BTC 20
 */
import { Client } from '@crosstape/client';
import { liveBars } from '@crosstape/client/bars';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:8080', coin = 'BTC', range = '20', stopAfter = 'Infinity'] =
  process.argv.slice(2);
const client = new Client({ url, WebSocket });

let items = 0;
for await (const { closed, open } of liveBars(client, {
  coin,
  kind: 'range',
  params: { rangeTicks: Number(range) },
  days: 1,
})) {
  if (items === 0) console.log(`${closed.length} bars of the last day`);
  else {
    for (const bar of closed) {
      const arrow = bar.close >= bar.open ? '▲' : '▼';
      const delta = bar.delta.toFixed(3);
      console.log(`${arrow} #${bar.index} ${bar.open} → ${bar.close}, ${bar.trades} trades, delta ${delta}`);
    }
  }
  if (open) console.log(`  in progress: ${open.low} to ${open.high}, now ${open.close}`);
  items += 1;
  if (items >= Number(stopAfter)) break;
}
