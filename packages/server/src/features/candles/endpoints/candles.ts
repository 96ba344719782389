import { Type } from 'typebox';
import { corsHeaders } from '../../../http/answer.ts';
import { type List, listIn, printCsv } from '../../../http/csv.ts';
import { SerializedCsv, SerializedJson } from '../../../http/endpoint.ts';
import { orNull } from '../../../http/field.ts';
import { choice, defaulted, endParameter, limitParameter, startParameter } from '../../../http/parameter.ts';
import { Streamed } from '../../../http/streamed.ts';
import { ARROW_TYPE } from '../../../platform/arrow/arrow-stream.ts';
import { Failure } from '../../../platform/errors.ts';
import { streamBytes } from '../../../platform/stream-bytes.ts';
import { endpoint } from '../../context.ts';
import { recordingMeta } from '../../tape/schema.ts';
import { arrowCandles } from '../arrow-candles.ts';
import { readCandles } from '../read-candles.ts';
import { candleInterval, candleMarketId, CandleRecord, memberList } from '../schema.ts';

const LIMIT_MAX = 10_000;
/** The newest candle grows with every trade: an answer with it is reused for this long. */
const REUSE_MS = 1_000;
const CACHE_SECONDS = 10;
/** `max-age` of candles that do not change any more. */
const CLOSED_SECONDS = 86_400;

const list = listIn(Type.Array(CandleRecord)) as List;

export const candles = endpoint({
  path: '/candles',
  summary: 'Candles of a market',
  description:
    'Of one market, or of every recorded market of a coin (`perp:BTC`, `spot:BTC`, `all:BTC`): volumes are then sums over the members, notional in USD, and prices those of `meta.reference`. The newest `limit` candles that begin in `start <= ts < end`, oldest first. To page back, ask again with `end` set to `meta.nextEnd` until it is null. The newest candle may still be growing. Every figure of a market equals that of a build of `time` bars from the same trades.',
  query: Type.Object({
    market: candleMarketId,
    interval: candleInterval,
    start: startParameter(
      'Start in milliseconds since the Unix epoch. Omitted: as far back as there are candles.',
    ),
    end: endParameter(),
    limit: limitParameter({
      max: LIMIT_MAX,
      byDefault: 1_000,
      description: 'Most candles in one answer.',
      example: 500,
    }),
    format: defaulted(
      choice(['json', 'csv', 'arrow'], {
        description: 'JSON, CSV, or an Arrow IPC stream, with the same fields.',
        examples: ['arrow'],
      }),
      'json',
    ),
  }),
  data: Type.Array(CandleRecord),
  meta: {
    ...recordingMeta,
    market: Type.String({ description: 'Id of the market.', examples: ['hyperliquid:BTC'] }),
    interval: Type.String({ description: 'Length of a candle.', examples: ['1m'] }),
    nextEnd: orNull(Type.Integer(), '`end` of the next older page; null when there is none.'),
    reference: Type.Optional(
      Type.String({ description: 'Of an aggregate: id of the market whose prices are shown.' }),
    ),
    members: Type.Optional(memberList),
    tapeFrom: orNull(
      Type.Integer(),
      "First minute of recorded trades; candles before it are the venue's own. Null without a record.",
    ),
  },
  media: {
    [ARROW_TYPE]:
      'With `format=arrow`: an Arrow IPC stream, uncompressed, with the fields of a candle as columns. The metadata of its schema carry `meta` as JSON.',
  },
  cacheSeconds: CACHE_SECONDS,
  examples: [
    { summary: 'The last 1,000 minutes of Bitcoin', search: 'market=hyperliquid:BTC' },
    { summary: 'All recorded markets of Bitcoin together', search: 'market=all:BTC&interval=1h' },
    { summary: 'Its last 30 days', search: 'market=hyperliquid:BTC&interval=1d&limit=30' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async stream({ format, ...query }, context) {
    if (format !== 'arrow') return undefined;
    return readCandles(context, query, async ({ rows, isClosed, meta }) => {
      const caching = `public, max-age=${isClosed ? CLOSED_SECONDS : CACHE_SECONDS}`;
      const metadata = { market: meta.market, meta: JSON.stringify(meta) };
      const memory = Buffer.concat(arrowCandles(await rows(), metadata));
      return new Streamed({
        status: 200,
        headers: ['Content-Type', ARROW_TYPE, 'Cache-Control', caching, ...corsHeaders],
        open: () => streamBytes(memory),
        memory,
      });
    });
  },
  async handle({ format, ...query }, context) {
    if (format === 'arrow')
      throw new Failure('bad_request', 'Parameter `format`: arrow is sent over HTTP only.');
    return readCandles(context, query, async ({ print, rows, isClosed, meta }) => {
      const { text, digest } = (await print(format)) ?? {};
      const data =
        format === 'csv'
          ? new SerializedCsv(text ?? (await printCsv(list, await rows(), context.caller)))
          : text && new SerializedJson(text, { digest, hasRoom: true });
      return {
        data: data ?? [...(await rows())],
        meta,
        ...(isClosed ? { cacheSeconds: CLOSED_SECONDS } : { validUntilMs: context.nowMs + REUSE_MS }),
      };
    });
  },
});
