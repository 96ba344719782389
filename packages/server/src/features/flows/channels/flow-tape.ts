import { proxyTapeSources } from '../flow-sources.ts';
import type { Print, SpotTrade } from '@crosstape/core';
import { Type } from 'typebox';
import { proxyVenue } from '../etf-proxy.ts';
import type { Dated } from '../../../platform/bus.ts';
import type { EventLog } from '../../../platform/event-log.ts';
import { printTopic, spotTradeTopic } from '../../../topics.ts';
import { number, text, timeMs } from '../../../http/field.ts';
import { Side } from '../../perps/schema.ts';
import { Pace } from '../../../gateway/pace.ts';
import { gatewayChannel } from '../../channel.ts';

const PRINTS_MAX = 50;
const PUBLISH_EVERY_MS = 500;

type FlowPrint = ReturnType<typeof toFlowPrint>;

export const flowTape = gatewayChannel({
  name: 'flowTape',
  summary: 'The newest prints of the primary and of the proxy venue',
  description: `The newest ${PRINTS_MAX} prints of the primary venue and trades of the spot venue that stands for ETF flows, whenever there are new ones, at most twice a second. For the coins whose flows are followed.`,
  payload: Type.Object(
    {
      prints: Type.Array(
        Type.Object({
          venue: text('Venue id.'),
          side: Side,
          price: number('Price in USD.', { minimum: 0 }),
          size: number('Size in units of the coin.', { minimum: 0 }),
          notionalUsd: number('Price times size in USD.', { minimum: 0 }),
          ts: timeMs('When it was traded.'),
        }),
        { description: 'Newest first.' },
      ),
    },
    {
      examples: [
        {
          prints: [
            {
              venue: 'coinbase',
              side: 'buy',
              price: 105_931,
              size: 0.5,
              notionalUsd: 52_965.5,
              ts: 1_790_000_000_123,
            },
          ],
        },
      ],
    },
  ),
  symbols: ({ flowCoins }) => flowCoins,
  isState: true,
  sources: (_, { primaryVenue }) => [[{ publisher: primaryVenue, gives: 'trades' }, ...proxyTapeSources]],
  open({ symbol }, publish, { bus, clock }) {
    const spot = spotTradeTopic(proxyVenue.venue, symbol);
    let prints: readonly FlowPrint[] = [
      ...newestOf(bus.log(printTopic), symbol),
      ...newestOf(bus.log(spot), symbol),
    ]
      .toSorted((a, b) => b.ts - a.ts)
      .slice(0, PRINTS_MAX);
    const update = () => ({ ts: prints[0]?.ts ?? clock.now(), payload: { prints: [...prints] } });
    const pace = new Pace(clock, PUBLISH_EVERY_MS, () => publish(update()));
    const take = (print: Print | SpotTrade): void => {
      if (print.coin !== symbol) return;
      // Two venues' clocks may differ: newest first is by time, not by arrival.
      const at = prints.findIndex(({ ts }) => ts <= print.ts);
      const place = at < 0 ? prints.length : at;
      prints = prints.toSpliced(place, 0, toFlowPrint(print)).slice(0, PRINTS_MAX);
      pace.ask();
    };
    const leave = [bus.subscribe(printTopic, take), bus.subscribe(spot, take)];
    return {
      snapshot: () => (prints.length === 0 ? undefined : update()),
      close() {
        pace.cancel();
        for (const one of leave) one();
      },
    };
  },
});

function toFlowPrint({ venue, side, price, size, notionalUsd, ts }: Print | SpotTrade) {
  return { venue, side, price, size, notionalUsd, ts };
}

/** The newest of a coin in a log, newest first. */
function newestOf(log: EventLog<(Print | SpotTrade) & Dated>, coin: string): readonly FlowPrint[] {
  const found: FlowPrint[] = [];
  for (const { event } of log.search({ equals: { field: 'coin', value: coin } })) {
    if (found.push(toFlowPrint(event)) === PRINTS_MAX) break;
  }
  return found;
}
