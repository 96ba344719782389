import { Type } from 'typebox';
import { openInterestByCoin } from '../open-interest.ts';
import { quoteWorths } from '../../rates/quote-worth.ts';
import { number, text, timeMs } from '../../../http/field.ts';
import { openTable } from './table-source.ts';
import { gatewayChannel } from '../../channel.ts';

export const openInterest = gatewayChannel({
  name: 'openInterest',
  summary: 'Open interest as it is polled',
  description: 'Open interest on the primary venue, one-sided, whenever a poll finds it changed.',
  payload: Type.Object(
    {
      oiContracts: number('In contracts of the venue, which are coins.', { minimum: 0 }),
      oiUsd: number('In USD.', { minimum: 0 }),
      quote: text('Currency that the contract is quoted in; `oiUsd` is converted from it.'),
      ts: timeMs('Time of the poll.'),
    },
    { examples: [{ oiContracts: 31_204.5, oiUsd: 3_305_000_000, quote: 'USD', ts: 1_790_000_000_000 }] },
  ),
  isState: true,
  sources: (_, { primaryVenue: publisher }) => [[{ publisher, gives: 'openInterest' }]],
  open({ symbol }, publish, { bus, primaryVenue }) {
    let known: string | undefined;
    return openTable({
      bus,
      venue: primaryVenue,
      table: 'openInterest',
      publish,
      read(table) {
        const worthOf = quoteWorths((topic) => bus.latest(topic)?.message, primaryVenue);
        const held = openInterestByCoin(table, table.fetchedAtMs, worthOf).get(symbol);
        if (!held) return undefined;
        const { contracts: oiContracts, usd: oiUsd, quote } = held.value;
        const ts = held.fetchedAtMs;
        const before = known;
        known = JSON.stringify([oiContracts, oiUsd]);
        return known === before ? undefined : { ts, payload: { oiContracts, oiUsd, quote, ts } };
      },
    });
  },
});
