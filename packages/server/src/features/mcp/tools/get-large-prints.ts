import { Type } from 'typebox';
import { coinInput, rowsInput, timeInput } from '../inputs.ts';
import { tool } from '../tool.ts';
import { csv, time, usd } from '../wording.ts';
import { coverageOfFigures } from './get-coverage.ts';

const ROWS_MAX = 200;
const ROWS = 50;
const FIELDS = ['ts', 'side', 'price', 'size', 'notionalUsd', 'fills'];

interface Print {
  readonly side: 'buy' | 'sell';
  readonly notionalUsd: number;
  readonly price: number;
  readonly ts: number;
}

export const getLargePrints = tool({
  name: 'get_large_prints',
  title: 'Large trades',
  description:
    'Returns the largest recent taker orders of one coin on the primary venue (all fills of an order joined), newest first, as CSV with the bought and sold totals. Use it to see who traded in size; use get_liquidations for forced trades and get_bars for all trades folded into bars. Only orders of at least `min_usd` are returned, at most 200 and only as far back as the tape is kept. Narrow `since` or raise `min_usd` when the list is cut.',
  input: Type.Object(
    {
      coin: coinInput,
      min_usd: Type.Optional(
        Type.Number({
          minimum: 0,
          default: 100_000,
          description: 'Smallest notional in USD, 0 or more. Default: 100000.',
        }),
      ),
      since: timeInput('Only orders at or after this time', 'everything kept'),
      max_rows: rowsInput(ROWS_MAX, ROWS),
    },
    { additionalProperties: false },
  ),
  async call({ coin: given, min_usd: minUsd, since, max_rows: limit = ROWS }, rest) {
    const coin = await rest.tapeName(given);
    const { data, meta } = await rest.get<readonly Print[]>('/perps/whales', {
      coin,
      minUsd,
      sinceMs: since,
      limit,
    });
    const total = (side: string): number =>
      data.filter((print) => print.side === side).reduce((sum, { notionalUsd }) => sum + notionalUsd, 0);
    const [boughtUsd, soldUsd] = [total('buy'), total('sell')];
    const largest = data.toSorted((a, b) => b.notionalUsd - a.notionalUsd)[0];
    const text = largest
      ? `${data.length} large orders of ${coin}: ${usd(boughtUsd)} bought and ${usd(soldUsd)} sold; the largest was a ${largest.side} of ${usd(largest.notionalUsd)} at ${largest.price} on ${time(largest.ts)}.`
      : `No order of ${coin} that large is on record.`;
    const isCut = data.length >= limit;
    const { recordedSince = rest.nowMs } = meta as { readonly recordedSince?: number };
    const from = isCut ? data.at(-1)?.ts : (since ?? recordedSince);
    const { coverage, gaps } = await coverageOfFigures(rest, { coin, from });
    return {
      text,
      csv: csv(data, FIELDS),
      ...(isCut && {
        hint: `The list is cut at ${limit} rows: raise min_usd, or set since to a later time.`,
      }),
      metas: [meta],
      coverage,
      gaps,
      units: { notionalUsd: 'USD', price: 'USD', size: 'coins', ts: 'ms since the Unix epoch' },
      figures: { coin, boughtUsd, soldUsd, prints: data },
    };
  },
});
