import type { Trade } from '@crosstape/core';
import { Type } from 'typebox';
import { watchTapeOpening } from '../tape-opening.ts';
import { gapTopic } from '../../../topics.ts';
import { number, timeMs } from '../../../http/field.ts';
import { Side } from '../../perps/schema.ts';
import { followedTape, tradeSources } from '../../market-tape/followed-tape.ts';
import { gatewayChannel } from '../../channel.ts';
import { tapeSince } from '../../../gateway/client-frames.ts';

/** The published fields of a trade. */
export function tradePayload({
  price,
  size,
  side,
  ts,
  tid,
}: Pick<Trade, 'price' | 'size' | 'side' | 'ts' | 'tid'>) {
  return { price, size, side, ts, tid };
}

/** Trades that were recorded with the first-run history and never released: they can be read, but are not sent. */
const SEEDED = { state: 'refilled', reason: 'recorded with the first-run history' } as const;
/** The time before the record of a market without first-run history. */
const NOT_RECORDED_YET = { state: 'missing', reason: 'the market was not recorded yet' } as const;

export const trades = gatewayChannel({
  name: 'trades',
  summary: 'Trades as they happen',
  description:
    "Every trade on the primary venue's tape of the coin, in order of release. With `since` the recorded trades after a cursor come first. A gap in the tape is sent as a frame `gap`. With `market` the trades of that market, sizes in coins and prices in its quote currency.",
  payload: Type.Object(
    {
      price: number('Price in USD.', { minimum: 0 }),
      size: number('Size in units of the coin.', { minimum: 0 }),
      side: Side,
      ts: timeMs('Tape time: never less than that of the trade before.'),
      tid: Type.Optional(
        Type.Integer({ description: "The venue's id of the trade; with `ts` it names the trade." }),
      ),
    },
    {
      examples: [
        { price: 105_931, size: 0.25, side: 'sell', ts: 1_790_000_000_123, tid: 118_906_512_037_719 },
      ],
    },
  ),
  markets: 'one',
  isState: false,
  since: tapeSince,
  sources: tradeSources,
  open({ symbol, market }, publish, context) {
    const { bus, clock } = context;
    const { tape, coin, inCoins, market: recorded } = followedTape(context, { symbol, market });
    const openedAtMs = clock.now();
    const topic = tape.topicOf(coin);
    const close = bus.subscribe(topic, (trade) =>
      publish({ ts: trade.ts, payload: tradePayload(inCoins(trade)) }),
    );
    const leave: (() => void)[] = [];
    return {
      published: bus.log(topic).end,
      listen: (notify) => {
        leave.push(
          bus.subscribe(gapTopic(market ?? symbol), ({ ts: _, ...gap }) => notify({ type: 'gap', ...gap })),
          watchTapeOpening(bus, recorded, (created) => {
            if (created && openedAtMs < created.toMs)
              notify({
                type: 'gap',
                from: openedAtMs,
                to: created.toMs,
                ...(created.isRecorded ? SEEDED : NOT_RECORDED_YET),
              });
          }),
        );
      },
      close: () => {
        close();
        for (const one of leave) one();
      },
    };
  },
});
