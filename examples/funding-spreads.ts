/**
 * Where holding the same coin pays differently: the widest spreads of funding between venues, scaled to 8 hours.
 *
 *     npx tsx --conditions=crosstape-source examples/funding-spreads.ts http://127.0.0.1:8080 10
 */
import { Client } from '@crosstape/client';

const [url = 'http://127.0.0.1:8080', count = '10'] = process.argv.slice(2);
const client = new Client({ url });

const venues = [
  'hyperliquid',
  'bybit',
  'okx',
  'binance',
  'bitget',
  'gate',
  'mexc',
  'dydx',
  'kraken',
] as const;
const coins = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'AVAX', 'LINK', 'ARB', 'OP', 'SUI'];
const { data, meta } = await client.get('/perps/funding', { venues, coins });

const spreads = [...new Set(data.map(({ coin }) => coin))].flatMap((coin) => {
  const sorted = data
    .filter((row) => row.coin === coin)
    .map(({ venue, rate, periodHours }) => ({ venue, bps: (rate * 8 * 10_000) / periodHours }))
    .toSorted((a, b) => a.bps - b.bps);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  return lowest && highest ? [{ coin, lowest, highest, spread: highest.bps - lowest.bps }] : [];
});

for (const { coin, lowest, highest, spread } of spreads
  .toSorted((a, b) => b.spread - a.spread)
  .slice(0, Number(count))) {
  const long = `long on ${lowest.venue} (${lowest.bps.toFixed(2)})`;
  const short = `short on ${highest.venue} (${highest.bps.toFixed(2)})`;
  console.log(`${coin.padEnd(6)} ${spread.toFixed(2).padStart(7)} bps per 8 h: ${long}, ${short}`);
}
if (meta.partial)
  console.log('some sources did not answer:', meta.sources?.map(({ source }) => source).join(', '));
