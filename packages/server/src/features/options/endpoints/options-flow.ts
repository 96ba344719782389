import { DAY_MS, expiryLabel, HOUR_MS, roundTo } from '@crosstape/core';
import { Type } from 'typebox';
import { choice, defaulted } from '../../../http/parameter.ts';
import { endpoint } from '../../context.ts';
import { optionsQuery } from '../read-options.ts';
import { type FlowSums, OptionFlow, type SidesFlow } from '../trades/option-flow.ts';
import {
  blocksParameter,
  isOfBlocks,
  printTrade,
  readRecordMeta,
  recordMeta,
} from '../trades/read-trades.ts';
import { OptionFlowSummary } from '../trades/trades-schema.ts';

const windowsMs = { '1h': HOUR_MS, '4h': 4 * HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS } as const;
/** How long an answer is reused: a week has many trades to sum. */
const REUSE_MS = 10_000;
const REUSE_WEEK_MS = 60_000;
const USD_DECIMALS = 2;
const COIN_DECIMALS = 6;

export const optionsFlow = endpoint({
  path: '/options/flow',
  summary: 'Flow of options',
  description:
    "What takers bought and sold of the options on a coin in a window up to now, from the recorded trades: premium, size, and size times delta and vega, of calls and of puts, by expiry and by strike, with block trades also apart, and the largest trades. Premium in USD is price × index × size where an option is quoted in coins, price × size where it is quoted in USDC. The sides are the takers': what they bought, makers sold.",
  query: Type.Object({
    ...optionsQuery.properties,
    window: defaulted(
      choice(['1h', '4h', '24h', '7d'], { description: 'The window up to now.', examples: ['4h'] }),
      '24h',
    ),
    blocks: blocksParameter,
  }),
  data: OptionFlowSummary,
  meta: recordMeta,
  cacheSeconds: 10,
  examples: [{ summary: 'Bitcoin, the last day', search: 'underlying=BTC' }],
  errors: ['upstream_unavailable'],
  async handle({ underlying, window, blocks }, context) {
    const toMs = context.nowMs;
    const fromMs = toMs - windowsMs[window];
    const meta = await readRecordMeta(context, underlying, { from: fromMs, to: toMs, isFromBegin: false });
    const flow = new OptionFlow();
    const isOfChosen = isOfBlocks(blocks);
    const range = { coin: underlying, fromMs, toMs, caller: context.caller };
    await context.resources.optionTrades.each(range, (trade) => {
      if (isOfChosen(trade)) flow.add(trade);
    });
    return {
      data: {
        underlying,
        fromMs,
        toMs,
        ...printSides(flow.total),
        blocks: printSides(flow.blocks),
        byExpiry: flow.byExpiry.map(({ expiryMs, ...sides }) => ({
          expiryMs,
          expiryLabel: expiryLabel(expiryMs),
          ...printSides(sides),
        })),
        byStrike: flow.byStrike.map(({ strike, ...sides }) => ({ strike, ...printSides(sides) })),
        largest: flow.largest.map(printTrade),
      },
      meta,
      validUntilMs: toMs + (window === '7d' ? REUSE_WEEK_MS : REUSE_MS),
    };
  },
});

function printSides({ calls, puts }: SidesFlow) {
  return { calls: printSums(calls), puts: printSums(puts) };
}

function printSums({ trades, boughtUsd, soldUsd, netUsd, ...sums }: FlowSums): FlowSums {
  const usd = (value: number): number => roundTo(value, USD_DECIMALS);
  const coins = (value: number): number => roundTo(value, COIN_DECIMALS);
  return {
    trades,
    boughtUsd: usd(boughtUsd),
    soldUsd: usd(soldUsd),
    netUsd: usd(netUsd),
    boughtCoins: coins(sums.boughtCoins),
    soldCoins: coins(sums.soldCoins),
    deltaCoins: coins(sums.deltaCoins),
    vegaUsd: usd(sums.vegaUsd),
  };
}
