import { roundTo } from '@crosstape/core';
import { Type } from 'typebox';
import { number, orNull, timeMs } from '../../../http/field.ts';
import { openTable } from './table-source.ts';
import { gatewayChannel } from '../../channel.ts';

const PREMIUM_DECIMALS = 8;

export const markPrice = gatewayChannel({
  name: 'markPrice',
  summary: 'Mark and index price',
  description: 'Reference prices of the primary venue, whenever a poll finds them changed.',
  payload: Type.Object(
    {
      mark: number('Mark price in USD.', { minimum: 0 }),
      index: orNull(
        Type.Number({ minimum: 0 }),
        'Index price in USD; null where the venue does not send it.',
      ),
      mid: orNull(Type.Number(), 'Middle of the book in USD; null while a side of it is empty.'),
      premium: orNull(
        Type.Number(),
        '`mark` over `index` minus 1, as a decimal fraction; null without an index.',
      ),
      ts: timeMs('Time of the poll.'),
    },
    {
      examples: [
        { mark: 105_931, index: 105_900, mid: 105_930.5, premium: 0.00029273, ts: 1_790_000_000_000 },
      ],
    },
  ),
  isState: true,
  sources: (_, { primaryVenue: publisher }) => [[{ publisher, gives: 'prices' }]],
  open({ symbol }, publish, { bus, primaryVenue }) {
    let known: string | undefined;
    return openTable({
      bus,
      venue: primaryVenue,
      table: 'prices',
      publish,
      read({ rows, fetchedAtMs: ts }) {
        const row = rows.find(({ coin }) => coin === symbol);
        if (!row) return undefined;
        const { mark, index = null, mid = null } = row;
        const before = known;
        known = JSON.stringify([mark, index, mid]);
        const premium = index === null ? null : roundTo(mark / index - 1, PREMIUM_DECIMALS);
        return known === before ? undefined : { ts, payload: { mark, index, mid, premium, ts } };
      },
    });
  },
});
