import type { Instrument, VenueLiquidation } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { jsonReader, readLiquidations } from '../frame-reader.ts';
import { type Fields, readObject, readPositiveNumber, readText } from '../reading.ts';
import { type Feed, type Frame, type Known, Malformed } from '../venue.ts';
import { readAmount, SIZE_HEADERS } from './answer.ts';
import { PING, request } from './socket.ts';

const CHANNEL = 'futures.public_liquidates';
/** All contracts at once [D]. */
const TOPIC = '!all';

/** A time below this is in seconds: as milliseconds it would lie in 1973. */
const MILLISECONDS_FROM = 1e11;
const SIZE_DECIMALS = 8;

/**
 * Liquidations of every contract, gathered for a second or until there are 20 of one contract:
 * ```json
 * → {"time":123456,"channel":"futures.public_liquidates","event":"subscribe","payload":["!all"]}
 * ← {"time":1545459681,"time_ms":1545459681123,"channel":"futures.public_liquidates","event":"subscribe",
 *    "result":{"status":"success"}}
 * ← {"channel":"futures.public_liquidates","event":"update","time":1541505434,"time_ms":1541505434123,
 *    "result":[{"price":"215.1","size":"-124.5","time":1541486601123,"contract":"BTC_USDT"}]}
 * → {"time":123456,"channel":"futures.ping"}  ← {"time":1545404023,"channel":"futures.pong","event":"","result":null}
 * ```
 * `size` is that of the liquidation order in contracts, a text with the size header, else a whole number [D]; that a
 * negative one sells, as everywhere at this venue, is [K]. Since 2026-08-20 a row's `time` is in milliseconds; before
 * it was in seconds, beside a `time_ms` [D, M]. Frames of that month carry one liquidation as a bare object, without the
 * array around it [L].
 * https://www.gate.com/docs/developers/futures/ws/en/#public-liquidates-channel
 */
export const liquidations: Feed = {
  name: 'liquidations',
  path: '/v4/ws/usdt',
  headers: SIZE_HEADERS,
  sockets: 1,
  isWhole: true,
  // Of hundreds of contracts one is liquidated more often than that, on any day [K].
  silentMaxMs: 60 * 60_000,
  isBursty: true,
  topics: () => [TOPIC],
  subscribe: (topics) => request(CHANNEL, { event: 'subscribe', payload: topics }),
  unsubscribe: (topics) => request(CHANNEL, { event: 'unsubscribe', payload: topics }),
  ping: PING,
  open: (known) => jsonReader((frame) => parseFrame(frame, known)),
};

function parseFrame(frame: Fields, known: () => Known): Frame {
  if (frame.error !== null && frame.error !== undefined) {
    const { code, message } = readObject(frame.error, 'error');
    return { kind: 'refused', why: `the venue says ${String(code)}: ${String(message)}`, isReply: true };
  }
  if (frame.channel === 'futures.pong') return { kind: 'heartbeat' };
  if (frame.channel !== CHANNEL) return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
  if (frame.event === 'subscribe') return { kind: 'subscribed', topics: [TOPIC] };
  if (frame.event !== 'update') return { kind: 'ignored', why: `event ${String(frame.event)}` };
  const instruments = bySymbol(known().instruments);
  const rows = Array.isArray(frame.result) ? frame.result : [frame.result];
  return readLiquidations(rows, (row) => parseLiquidation(row, instruments));
}

function parseLiquidation(
  row: unknown,
  listed: ReadonlyMap<string, Instrument>,
): VenueLiquidation | undefined {
  const liquidation = readObject(row, 'liquidation');
  const symbol = readText(liquidation.contract, 'liquidation.contract');
  const instrument = listed.get(symbol);
  if (!instrument) return undefined;
  if (instrument.contractSize === undefined) throw new Malformed(`${symbol} has no contract size`);
  const price = readAmount(liquidation.price, `${symbol} price`);
  const size = readAmount(liquidation.size, `${symbol} size`);
  if (price <= 0 || size === 0) throw new Malformed(`${symbol} of ${size} at ${price} is no liquidation`);
  return {
    coin: instrument.coin,
    symbol,
    side: size < 0 ? 'sell' : 'buy',
    price,
    size: roundTo(Math.abs(size) * instrument.contractSize, SIZE_DECIMALS),
    venueTs: readTime(liquidation.time_ms ?? liquidation.time, `${symbol} time`),
  };
}

function readTime(value: unknown, what: string): number {
  const time = readPositiveNumber(value, what);
  return Math.round(time < MILLISECONDS_FROM ? time * 1000 : time);
}
