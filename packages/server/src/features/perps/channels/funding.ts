import { roundTo } from '@crosstape/core';
import { Type } from 'typebox';
import { fundingByCoin } from '../funding.ts';
import { snapshotTopic } from '../../../topics.ts';
import { number, timeMs } from '../../../http/field.ts';
import { openTable } from './table-source.ts';
import { gatewayChannel } from '../../channel.ts';

/** Rates have ten decimals; this rounds away floating-point noise. */
const RATE_DECIMALS = 12;

export const funding = gatewayChannel({
  name: 'funding',
  summary: 'Funding rate as it moves',
  description:
    'The rate of the primary venue, then every change from one poll (every 30 seconds) to the next.',
  payload: Type.Object(
    {
      rate: number('Rate as a decimal fraction per `periodHours`.'),
      periodHours: number('Hours that the rates cover.'),
      prevRate: number('Rate before the change; the same as `rate` when none was seen yet.'),
      delta: number('`rate` minus `prevRate`, as a decimal fraction.'),
      ts: timeMs('Time of the poll.'),
    },
    {
      examples: [
        { rate: 0.0000125, periodHours: 1, prevRate: -0.0000375, delta: 0.00005, ts: 1_790_000_000_000 },
      ],
    },
  ),
  isState: true,
  sources: (_, { primaryVenue: publisher }) => [[{ publisher, gives: 'funding' }]],
  open({ symbol }, publish, { bus, primaryVenue }) {
    let known: number | undefined;
    return openTable({
      bus,
      venue: primaryVenue,
      table: 'funding',
      publish,
      read(table) {
        const openInterest = bus.latest(snapshotTopic(primaryVenue, 'openInterest'))?.message;
        const reported = fundingByCoin(table, openInterest, table.fetchedAtMs).get(symbol);
        if (!reported || reported.value.rate === known) return undefined;
        const { rate, periodHours } = reported.value;
        const ts = reported.fetchedAtMs;
        const prevRate = known ?? rate;
        known = rate;
        return {
          ts,
          payload: { rate, periodHours, prevRate, delta: roundTo(rate - prevRate, RATE_DECIMALS), ts },
        };
      },
    });
  },
});
