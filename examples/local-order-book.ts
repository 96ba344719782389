/**
 * An order book kept here by its changes. Every 30 seconds the service sends the whole book, which must be the same.
 *
 *     npx tsx --conditions=crosstape-source examples/local-order-book.ts http://127.0.0.1:8080 BTC
 */
import { Client, followBook } from '@crosstape/client';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:8080', coin = 'BTC', stopAfter = 'Infinity'] = process.argv.slice(2);
const client = new Client({ url, WebSocket });

let changes = 0;
for await (const { bids, asks, proofs, breaks, isStale } of followBook(client, coin)) {
  const [bid, ask] = [bids[0], asks[0]];
  if (!bid || !ask) continue;
  const spreadBps = ((ask[0] - bid[0]) / bid[0]) * 10_000;
  const depth = [bids, asks].map((side) => side.reduce((sum, [price, size]) => sum + price * size, 0));
  const [bidUsd, askUsd] = depth.map((sum) => `${(sum / 1_000).toFixed(0)}k`);
  console.log(
    `${bid[1]} @ ${bid[0]}  |  ${ask[0]} @ ${ask[1]}  spread ${spreadBps.toFixed(2)} bps, depth ${bidUsd}/${askUsd} USD,`,
    `${proofs} proofs, ${breaks} breaks${isStale ? ', stale' : ''}`,
  );
  changes += 1;
  if (changes >= Number(stopAfter)) break;
}
