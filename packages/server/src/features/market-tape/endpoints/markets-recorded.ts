import { type Static, Type } from 'typebox';
import { type Context, endpoint } from '../../context.ts';
import { choice, coinName } from '../../../http/parameter.ts';
import { snapshotTopic, usdRatesTopic } from '../../../topics.ts';
import { countTrades } from '../count-trades.ts';
import type { RecordedTape } from '../market-reader.ts';
import type { StoredMarket } from '../market-table.ts';
import { marketKinds, RecordedMarketRow } from '../schema.ts';

const DAY_MS = 86_400_000;

type Row = Static<typeof RecordedMarketRow>;
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
      coinName({ description: 'Only markets of this venue: its id.', examples: ['binance'] }),
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
    const isWanted = (market: Listed): boolean =>
      (coin === undefined || market.coin.toLowerCase() === coin.toLowerCase()) &&
      (venue === undefined || market.venue === venue.toLowerCase()) &&
      (kind === undefined || market.kind === kind);
    const { markets, primaryVenue } = context.resources;
    const data: Row[] = [];
    const primary = markets?.primary;
    if (primary)
      for (const market of await primaryMarkets(context, primary))
        if (isWanted(market)) data.push(await rowOf(context, market, primary));
    for (const market of (await markets?.list()) ?? [])
      if (markets && isWanted(market)) data.push(await rowOf(context, market, markets.open(market)));
    const venues = [...new Set([primaryVenue, ...data.map((row) => row.venue)])];
    return { data, meta: { fetchedAt: context.nowMs, source: context.label(venues) } };
  },
});

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
  const { ticks, tape, coverage } = recorded;
  const from = nowMs - DAY_MS;
  const sinceMs = Math.max(from, market.recordingSince ?? from);
  const [trades24h = 0] = await countTrades(recorded, symbol, [{ from, to: nowMs + 1 }]);
  const [oldest] = await ticks.names(symbol, 0, Number.MAX_SAFE_INTEGER, 1);
  const { columns } = await tape.unsealed(symbol);
  const newest = columns.length > 0 ? columns.ts[columns.length - 1] : (await ticks.newest(symbol))?.endTs;
  const whole = (await coverage.stretches(symbol, sinceMs, nowMs))
    .filter(({ state }) => state === 'complete' || state === 'refilled')
    .reduce((sum, stretch) => sum + stretch.to - stretch.from, 0);
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
    firstTs: oldest?.startTs ?? (columns.length > 0 ? (columns.ts[0] ?? null) : null),
    lastTs: newest ?? null,
    trades24h,
    completeness24h: Math.min(1, whole / Math.max(1, nowMs - sinceMs)),
    counted: isCounted,
  };
}
