import { dayOfLabel, expiryLabel } from '@crosstape/core';
import { Type } from 'typebox';
import { orNull } from '../../../http/field.ts';
import { choice, endParameter, limitParameter, startParameter } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { endpoint } from '../../context.ts';
import { readTapeRange } from '../../tape/tape-range.ts';
import { optionsQuery } from '../read-options.ts';
import { premiumUsdOf } from '../trades/option-flow.ts';
import { OPTION_TRADES_DAYS } from '../trades/option-trade-table.ts';
import {
  blocksParameter,
  isOfBlocks,
  printTrade,
  readRecordMeta,
  recordMeta,
} from '../trades/read-trades.ts';
import { OptionTradeRow } from '../trades/trades-schema.ts';

/** The trades are read every few seconds: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 2_000;

export const optionsTrades = endpoint({
  path: '/options/trades',
  summary: 'Trades of options',
  description: `Every trade of the options on a coin that Deribit lists, also of those that settle in USDC, newest first; read every 10 seconds and kept for ${OPTION_TRADES_DAYS} days. \`side\` is the taker's. Ask again with \`end\` set to \`meta.nextEnd\` until it is null. A millisecond is never split between two answers, so that one may have more than \`limit\` trades; a search for rare trades may return fewer, and still have a \`nextEnd\`.`,
  query: Type.Object({
    ...optionsQuery.properties,
    expiry: Type.Optional(
      Type.String({
        pattern: '^\\d{2}[A-Z]{3}\\d{2}$',
        allowed: 'a label such as 27NOV26',
        description: 'Only options of this expiry, `DDMMMYY`.',
        examples: ['27NOV26'],
      }),
    ),
    type: Type.Optional(
      choice(['C', 'P'], { description: '`C`: only calls. `P`: only puts.', examples: ['C'] }),
    ),
    side: Type.Optional(
      choice(['buy', 'sell'], { description: 'Only what takers bought, or sold.', examples: ['buy'] }),
    ),
    blocks: blocksParameter,
    minPremium: Type.Optional(
      Type.Number({ minimum: 0, description: 'Smallest premium in USD.', examples: [100_000] }),
    ),
    start: startParameter('Start in milliseconds since the Unix epoch. Omitted: 24 hours before now.'),
    end: endParameter(),
    limit: limitParameter({
      max: 5_000,
      byDefault: 500,
      description: 'Most trades to return.',
      example: 100,
    }),
  }),
  data: Type.Array(OptionTradeRow),
  meta: {
    nextEnd: orNull(Type.Integer(), 'Where the next answer ends; null when there is nothing older.'),
    ...recordMeta,
  },
  cacheSeconds: 10,
  examples: [
    { summary: 'The newest trades', search: 'underlying=BTC' },
    { summary: 'Large blocks', search: 'underlying=BTC&blocks=only&minPremium=100000' },
  ],
  errors: ['upstream_unavailable'],
  async handle({ underlying, expiry, type, side, blocks, minPremium = 0, start, end, limit }, context) {
    const { from, to } = readTapeRange(context, { start, end });
    if (expiry !== undefined && dayOfLabel(expiry) === undefined)
      throw new Failure('bad_request', `Parameter \`expiry\` is not a date: \`${expiry}\`.`);
    const isOfChosen = isOfBlocks(blocks);
    const { trades, nextEndMs } = await context.resources.optionTrades.newest({
      coin: underlying,
      fromMs: from,
      toMs: to,
      limit,
      caller: context.caller,
      isWanted: (trade) =>
        (expiry === undefined || expiryLabel(trade.expiryMs) === expiry) &&
        (type === undefined || trade.type === type) &&
        (side === undefined || trade.side === side) &&
        isOfChosen(trade) &&
        premiumUsdOf(trade) >= minPremium,
    });
    return {
      data: trades.map(printTrade),
      meta: {
        ...(await readRecordMeta(context, underlying, { from, to, isFromBegin: true })),
        nextEnd: nextEndMs ?? null,
      },
      validUntilMs: context.nowMs + REUSE_MS,
    };
  },
});
