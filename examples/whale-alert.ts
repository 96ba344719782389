/**
 * Prints every taker order above a size, and the time that was lost because the connection was down too long.
 *
 *     npx tsx --conditions=crosstape-source examples/whale-alert.ts http://127.0.0.1:8080 250000
 */
import { Client } from '@crosstape/client';

const [url = 'http://127.0.0.1:8080', minUsd = '250000', stopAfter = 'Infinity'] = process.argv.slice(2);
const client = new Client({ url });
const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });

let printed = 0;
for await (const item of client.stream('/streams/whales', { minUsd: Number(minUsd) })) {
  if (item.event === 'gap') {
    const [from, to] = [item.data.from, item.data.to].map((ts) => new Date(ts).toISOString());
    console.log(`not known: what happened from ${from} to ${to}`);
    continue;
  }
  const { coin, side, notionalUsd, price, ts } = item.data;
  const verb = side === 'buy' ? 'bought' : 'sold';
  console.log(
    `${new Date(ts).toISOString()} a taker ${verb} ${usd.format(notionalUsd)} of ${coin} at ${price}`,
  );
  printed += 1;
  if (printed >= Number(stopAfter)) break;
}
