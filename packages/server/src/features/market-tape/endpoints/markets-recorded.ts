import { DAY_MS } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { type Context, endpoint } from '../../context.ts';
import { choice, coinName } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { mapBounded } from '../../../platform/map-bounded.ts';
import { snapshotTopic, usdRatesTopic } from '../../../topics.ts';
import { countTrades } from '../count-trades.ts';
import type { MarketReader, RecordedTape } from '../market-reader.ts';
import type { StoredMarket } from '../market-table.ts';
import { marketKinds, RecordedMarketRow } from '../schema.ts';

type Row = Static<typeof RecordedMarketRow>;

/** Each reads several times from the store. */
const ROWS_AT_ONCE = 8;
/** Chunks of a day: far more than any market fills. */
const CHUNKS_MAX = 10_000;
/** Where the store cannot be read. */
const UNREADABLE: Pick<Row, 'firstTs' | 'lastTs'> = { firstTs: null, lastTs: null };

type Listed = Omit<StoredMarket, 'recordingSince' | 'publisher'> & {
  readonly recordingSince: number | undefined;
};

export const marketsRecorded = endpoint({
  path: '/markets/recorded',
  summary: 'Recorded markets',
  description:
    'Every market with recorded trades: the coins of the primary venue, and those of other venues that `RECORD_MARKETS` chooses or chose.',
  query: Type.Object({
    coin: Type.Optional(
      coinName({ description: 'Only markets of this ticker, in any case.', examples: ['BTC'] }),
    ),
    venue: Type.Optional(
      coinName({
        description:
          'Only markets of this venue: its id or an alias, in any case; with `-spot` only its spot pairs.',
        examples: ['binance'],
      }),
    ),
    kind: Type.Optional(
      choice(marketKinds, { description: 'Only perpetuals, or only spot pairs.', examples: ['spot'] }),
    ),
  }),
  data: Type.Array(RecordedMarketRow),
  cacheSeconds: 30,
  examples: [{ summary: 'The recorded markets of Bitcoin', search: 'coin=BTC' }],
  errors: ['upstream_unavailable'],
  async handle({ coin, venue, kind }, context) {
    const { markets, primaryVenue } = context.resources;
    const place = markets && venue !== undefined ? readVenue(markets, venue) : undefined;
    const isWanted = (market: Listed): boolean =>
      (coin === undefined || market.coin.toLowerCase() === coin.toLowerCase()) &&
      (place === undefined || market.venue === place.venue) &&
      (place?.kind === undefined || market.kind === place.kind) &&
      (kind === undefined || market.kind === kind);
    const listed = markets
      ? [
          ...(await primaryMarkets(context, markets.primary)).map((market) => ({
            market,
            open: () => markets.primary,
          })),
          ...(await markets.list()).map((market) => ({ market, open: () => markets.open(market) })),
        ]
      : [];
    const wanted = listed.filter(({ market }) => isWanted(market));
    const data = await mapBounded(wanted, ROWS_AT_ONCE, ({ market, open }) => rowOf(context, market, open()));
    const venues = [...new Set([primaryVenue, ...data.map((row) => row.venue)])];
    return { data: [...data], meta: { fetchedAt: context.nowMs, source: context.label(venues) } };
  },
});

/** Parses a venue, or with `-spot` its spot pairs. */
function readVenue(
  markets: MarketReader,
  text: string,
): { readonly venue: string; readonly kind: 'spot' | undefined } {
  const named = markets.read(`${text}:any`);
  if (named.type === 'market')
    return { venue: named.venue, kind: text.toLowerCase().endsWith('-spot') ? 'spot' : undefined };
  const why = named.type === 'invalid' ? named.why : `${text} is not a venue`;
  throw new Failure('bad_request', `Parameter \`venue\`: ${why}.`);
}

/** The coins of the primary venue that are recorded, as markets. */
async function primaryMarkets(
  context: Context,
  { ticks, coverage }: RecordedTape,
): Promise<readonly Listed[]> {
  const { primaryVenue: venue } = context.resources;
  const listed = context.latest(snapshotTopic(venue, 'instruments'))?.rows ?? [];
  const recordingSince = await coverage.recordedSinceMs();
  return (await ticks.coins()).map((coin) => {
    const { quote = 'USD', tick } = listed.find((one) => one.coin === coin) ?? {};
    return {
      id: `${venue}:${coin}`,
      venue,
      kind: 'perp',
      symbol: coin,
      coin,
      quote,
      contractSize: 1,
      scale: 1,
      isCounted: false,
      recordingSince,
      ...(tick !== undefined && { tick }),
    };
  });
}

async function rowOf(context: Context, market: Listed, recorded: RecordedTape): Promise<Row> {
  const { nowMs } = context;
  const { id, venue, kind, symbol, coin, quote, contractSize, scale, tick, isCounted } = market;
  const from = nowMs - DAY_MS;
  const [trades24h, times, whole] = await Promise.all([
    tradesWithin(recorded, symbol, from, nowMs),
    timesOf(recorded, symbol).catch(() => UNREADABLE),
    // If it cannot be read it is not known to be complete.
    wholeWithin(recorded, symbol, from, nowMs).catch(() => ({ fromMs: undefined, ms: 0 })),
  ]);
  // Hours may have been written into the record before it began.
  const begunMs = Math.min(market.recordingSince ?? nowMs, whole.fromMs ?? nowMs);
  const sinceMs = Math.max(from, begunMs);
  return {
    market: id,
    venue,
    kind,
    symbol,
    coin,
    quote,
    usdRate: quote === 'USD' ? 1 : (context.latest(usdRatesTopic)?.rates[quote]?.rate ?? null),
    unit: { contractSize, scale },
    tick: tick ?? null,
    recordingSince: market.recordingSince ?? null,
    ...times,
    trades24h,
    ...(begunMs > from && { sinceTs: begunMs }),
    completeness24h: Math.min(1, whole.ms / Math.max(1, nowMs - sinceMs)),
    counted: isCounted,
  };
}

/** A damaged chunk counts by its key. */
async function tradesWithin(
  recorded: RecordedTape,
  symbol: string,
  from: number,
  nowMs: number,
): Promise<number> {
  try {
    const [trades = 0] = await countTrades(recorded, symbol, [{ from, to: nowMs + 1 }]);
    return trades;
  } catch {
    const chunks = await recorded.ticks.names(symbol, from, nowMs + 1, CHUNKS_MAX);
    return chunks.reduce((sum, { trades }) => sum + trades, 0);
  }
}

/** When the oldest trade that is kept was made, and the newest. */
async function timesOf({ ticks, tape }: RecordedTape, symbol: string): Promise<typeof UNREADABLE> {
  const [oldest] = await ticks.names(symbol, 0, Number.MAX_SAFE_INTEGER, 1);
  const { columns } = await tape.unsealed(symbol);
  // Columns are longer than their content.
  const [first, last] = columns.length > 0 ? [columns.ts[0], columns.ts[columns.length - 1]] : [];
  return {
    firstTs: oldest?.startTs ?? first ?? null,
    lastTs: last ?? (await ticks.newest(symbol))?.endTs ?? null,
  };
}

/** How much of a time is recorded completely, and from when on. */
async function wholeWithin(
  { coverage }: RecordedTape,
  symbol: string,
  from: number,
  to: number,
): Promise<{ readonly fromMs: number | undefined; readonly ms: number }> {
  const whole = (await coverage.stretches(symbol, from, to)).filter(
    ({ state }) => state === 'complete' || state === 'refilled',
  );
  return {
    fromMs: whole[0]?.from,
    ms: whole.reduce((sum, stretch) => sum + stretch.to - stretch.from, 0),
  };
}
