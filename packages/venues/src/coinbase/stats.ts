import type { DayOpen } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { readObject, readPositiveDecimal, readRows } from '../reading.ts';
import type { Resource } from '../venue.ts';

/**
 * The last 24 hours of every pair in one call, which is not in the venue's documents but long used [M]:
 * ```json
 * {"ETH-BTC":{"stats_30day":{"volume":"311024.55"},
 *   "stats_24hour":{"open":"0.0723","high":"0.07455","low":"0.07163","volume":"62.43","last":"0.0726"}}}
 * ```
 * Only the price of a day ago is taken: bids, asks and the last trade come together from the ticker, of one moment. A
 * pair without a trade in 24 hours has empty or zero figures [K].
 */
export const stats: Resource = {
  name: 'stats',
  polled: 'always',
  everyMs: 60_000,
  gives: ['dayOpens'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/products/stats' },
  parse(body, _receivedAtMs, known) {
    const listed = bySymbol(known.instruments);
    const pairs = Object.entries(readObject(body, 'stats'));
    const { rows, refused } = readRows(pairs.length, (i) => {
      const [symbol = '', stat] = pairs[i] ?? [];
      const instrument = listed.get(symbol);
      return instrument && parseStat(stat, instrument);
    });
    return { dayOpens: rows, refused };
  },
};

interface Name {
  readonly coin: string;
  readonly symbol: string;
}

function parseStat(row: unknown, { coin, symbol }: Name): DayOpen | undefined {
  const day = readObject(readObject(row, symbol).stats_24hour, `${symbol}.stats_24hour`);
  if ((day.open ?? '') === '' || Number(day.open) === 0) return undefined;
  return { coin, symbol, open: readPositiveDecimal(day.open, `${symbol}.open`) };
}
