import { CHUNK_VERSION, marketIdOf, unitsAt, unitsOf } from '@crosstape/core';
import { Type } from 'typebox';
import { printTrades, printTradesTask, type TradesToPrint } from '../print-trades.ts';
import type { PageChunk, TapePage } from '../tape-reader.ts';
import { gunzipChunk } from '../chunk-gzip.ts';
import { ARROW_TYPE } from '../../../platform/arrow/arrow-stream.ts';
import { Failure } from '../../../platform/errors.ts';
import { SerializedJson } from '../../../http/endpoint.ts';
import { chosenTape, feedOf, marketParameter } from '../../market-tape/chosen-tape.ts';
import type { StoredMarket } from '../../market-tape/market-table.ts';
import { choice, coinName, defaulted, endParameter, startParameter } from '../../../http/parameter.ts';
import { orNull } from '../../../http/field.ts';
import { RawTrade, recordingMeta, TapeHole, TradePage } from '../schema.ts';
import { streamArrow } from '../stream-arrow.ts';
import { tapeMeta } from '../tape-meta.ts';
import { readTapeRange } from '../tape-range.ts';
import { type Context, endpoint } from '../../context.ts';

const CHUNKS_MAX = { packed: 20, json: 3 } as const;
/** The tape grows with every trade: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 1_000;
/** More trades than this are printed off the event loop. */
const INLINE_TRADES_MAX = 2_000;

export const perpsTradesHistory = endpoint({
  path: '/perps/trades/history',
  summary: 'Recorded trades',
  description:
    'The recorded tape of a coin, page by page: `packed` gives up to 20 chunks as they are stored, `json` the trades of up to 3 chunks. Ask again with `start` set to `meta.nextStart` until it is null: every trade of the range comes exactly once, the newest included. `arrow` streams the whole range at once.',
  query: Type.Object({
    coin: Type.Optional(
      coinName({ description: 'Ticker, in any case. Required without `market`.', examples: ['BTC'] }),
    ),
    market: marketParameter,
    start: startParameter('Start in milliseconds since the Unix epoch. Omitted: 24 hours before now.'),
    end: endParameter(),
    format: defaulted(
      choice(['packed', 'json', 'arrow'], {
        description: 'Stored chunks, plain trades, or all trades of the range as an Arrow stream.',
        examples: ['json'],
      }),
      'packed',
    ),
    ids: Type.Optional(
      choice(['1'], { description: 'With `packed`: also gives the ids of the trades.', examples: ['1'] }),
    ),
    recv: Type.Optional(
      choice(['1'], {
        description:
          'Also gives when each trade was received: `recvMs` in JSON and Arrow, a gzip member per chunk in `packed`.',
        examples: ['1'],
      }),
    ),
  }),
  data: Type.Union([TradePage, Type.Array(RawTrade)], {
    description: '`packed`: a page of chunks; `json`: a list of trades.',
  }),
  meta: {
    ...recordingMeta,
    nextStart: orNull(Type.Integer(), 'Where the next page starts; null at the end.'),
    gaps: Type.Array(TapeHole, { description: 'Times within the page without a connected feed.' }),
  },
  media: {
    [ARROW_TYPE]:
      'With `format=arrow`: an Arrow IPC stream of all trades in the range, uncompressed, with the columns `ts`, `price`, `size`, `isBuy`, `tid`, `sameOrder`, `venueTs` and `market`, with `recv=1` also `recvMs`. The metadata of its schema carry `meta` as JSON, with the gaps.',
  },
  cacheSeconds: 30,
  examples: [
    { summary: 'The last 24 hours of Bitcoin, packed', search: 'coin=BTC' },
    { summary: 'The same as plain trades', search: 'coin=BTC&format=json' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async stream({ format, ids: _, recv, ...query }, context) {
    if (format !== 'arrow') return undefined;
    const { from, to } = readTapeRange(context, { start: query.start, end: query.end });
    const chosen = await chosenTape(context, query);
    const { coin, coverage, secondary } = chosen;
    const of = secondary && feedOf(secondary.market);
    const meta = {
      ...(await tapeMeta(context, { toMs: to, of })),
      gaps: await coverage.gaps(coin, from, to),
    };
    const market =
      secondary?.market.id ??
      marketIdOf({ venue: context.resources.primaryVenue, kind: 'perp', symbol: coin });
    return streamArrow(context, chosen, {
      columns: recv === '1' ? 'received' : 'history',
      market,
      fromTs: from,
      toTs: to,
      rowsMax: Number.POSITIVE_INFINITY,
      metadata: { market, coin: secondary?.market.coin ?? coin, meta: JSON.stringify(meta) },
    });
  },
  async handle({ format, ids, recv, ...query }, context) {
    if (format === 'arrow')
      throw new Failure('bad_request', 'Parameter `format`: arrow is sent over HTTP only.');
    const { from, to } = readTapeRange(context, { start: query.start, end: query.end });
    const { coin, tape, coverage, secondary } = await chosenTape(context, query);
    const isJson = format === 'json';
    const withReceipts = recv === '1';
    const page = await tape.page({
      coin,
      fromTs: from,
      toTs: to,
      chunksMax: CHUNKS_MAX[format],
      withIds: isJson || ids === '1',
      withReceipts,
    });
    const { chunks, nextStart = null } = secondary ? inOneUnit(page, secondary.market) : page;
    const gaps = await coverage.gaps(coin, from, nextStart ?? to);
    return {
      data: isJson
        ? await print(context, chunks, { fromTs: from, toTs: to, unit: secondary?.market, withReceipts })
        : {
            coin: secondary?.market.coin ?? coin,
            version: CHUNK_VERSION,
            chunks: chunks.map(packed),
            ...(secondary && marketFields(secondary.market, chunks[0]?.startTs)),
          },
      meta: {
        ...(await tapeMeta(context, {
          toMs: to,
          newestTs: chunks.at(-1)?.endTs,
          of: secondary && feedOf(secondary.market),
        })),
        nextStart,
        gaps: [...gaps],
      },
      validUntilMs: context.nowMs + REUSE_MS,
    };
  },
});

function packed({ startTs, endTs, trades, data, ids, receipts }: PageChunk) {
  return {
    startTs,
    endTs,
    trades,
    bytes: data.length,
    data: base64(data),
    ...(ids && { ids: base64(ids) }),
    ...(receipts && { recv: base64(receipts) }),
  };
}

/** The page up to where the venue changed its unit. */
function inOneUnit(page: TapePage, { unitsBefore = [] }: StoredMarket): TapePage {
  const [first] = page.chunks;
  const change = first && unitsBefore.find(({ untilMs }) => first.startTs < untilMs);
  const next = change && page.chunks.find(({ startTs }) => startTs >= change.untilMs);
  if (!next) return page;
  return { chunks: page.chunks.slice(0, page.chunks.indexOf(next)), nextStart: next.startTs };
}

function marketFields(market: StoredMarket, ts = Number.MAX_SAFE_INTEGER) {
  const { contractSize, scale } = unitsAt(market, ts);
  return { market: market.id, unit: { contractSize, scale, quote: market.quote } };
}

function base64({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('base64');
}

async function print(
  context: Context,
  page: readonly PageChunk[],
  { unit, ...range }: Omit<TradesToPrint, 'chunks'>,
): Promise<SerializedJson> {
  const chunks = page.map(({ data, ids = new Uint8Array(), receipts }) => ({ data, ids, receipts }));
  const trades = page.reduce((sum, chunk) => sum + chunk.trades, 0);
  const order = {
    ...range,
    chunks,
    ...(unit && { unit: unitsOf(unit) }),
  };
  if (trades <= INLINE_TRADES_MAX) return new SerializedJson(printTrades(order));
  try {
    return new SerializedJson(await context.work(printTradesTask, order));
  } catch (error) {
    if (error instanceof Failure) throw error;
    // The worker has only the bytes; the damaged row is known here.
    for (const { data, ids, receipts } of chunks)
      for (const member of receipts ? [data, ids, receipts] : [data, ids]) gunzipChunk(member);
    throw error;
  }
}
