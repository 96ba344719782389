import { createHash } from 'node:crypto';
import { ROOM_BEFORE } from '../../http/endpoint.ts';
import { AsciiWriter, type Fragment, fragmentOf } from '../../platform/ascii-writer.ts';
import { type AggregatePage, completeOf, eachAggregate, soldIn } from './aggregate-candles.ts';
import {
  DIGEST,
  endsOf,
  frames,
  print,
  printCandle,
  type PrintedCandles,
  ROW_BYTES,
  ROW_BYTES_MAX,
} from './print-candles.ts';

/** Usual size of one member in a row. */
const MEMBER_BYTES = 48;
/** More than two numbers take. */
const VOLUMES_BYTES_MAX = 128;

/** The text is hashed in pieces, each within a turn of the event loop. */
const ROWS_PER_HASH = 200;

/** The rows of an aggregate continue where those of a market end. */
const frame = {
  ...frames.json,
  ends: endsOf((complete, origin) => `,"complete":${complete},"origin":"${origin}","byMarket":{`),
};
const nothing = fragmentOf('');
const comma = fragmentOf(',');
const rowEnd = fragmentOf(']}}');
/** No member names its sides. */
const emptyRowEnd = fragmentOf('}}');

const PLAIN_ASCII = /^[ -~]*$/;

/** A text that is written often; without a fragment where it is not plain ASCII: venues list symbols in other alphabets. */
function textOf(text: string): { readonly bytes: Uint8Array; readonly fragment: Fragment | undefined } {
  return { bytes: Buffer.from(text), fragment: PLAIN_ASCII.test(text) ? fragmentOf(text) : undefined };
}

/** The rows of an aggregate as a JSON array, identical to `JSON.stringify` of `aggregateRows`. */
export async function printAggregate(page: AggregatePage): Promise<PrintedCandles> {
  const { members, moments } = page;
  const bytes = moments.length * (ROW_BYTES + MEMBER_BYTES * members.length);
  const writer = new AsciiWriter(bytes + ROW_BYTES_MAX, ROOM_BEFORE);
  const names = members.map(({ market }) => JSON.stringify(market.id));
  const firstName = names.map((name) => textOf(`${name}:[`));
  const nextName = names.map((name) => textOf(`],${name}:[`));
  const hash = createHash(DIGEST);
  let hashedTo = writer.position;
  writer.fragment(frame.start);
  let rows = 0;
  await eachAggregate(page, ({ sum, moment }) => {
    if (rows > 0) writer.fragment(frame.between);
    printCandle(writer, frame, sum, completeOf(sum, moment));
    let isFirst = true;
    const { candles } = moment;
    for (let i = 0; i < candles.length; i += 1) {
      const candle = candles[i];
      if (candle?.buyVolume === undefined) continue;
      const name = (isFirst ? firstName : nextName)[i]!;
      writer.reserve(VOLUMES_BYTES_MAX + name.bytes.length);
      if (name.fragment) writer.fragment(name.fragment);
      else writer.bytes(name.bytes);
      print(writer, nothing, candle.buyVolume, candle.sizeDecimals);
      print(writer, comma, soldIn(candle), candle.sizeDecimals);
      isFirst = false;
    }
    writer.reserve(ROW_BYTES_MAX);
    writer.fragment(isFirst ? emptyRowEnd : rowEnd);
    rows += 1;
    if (rows % ROWS_PER_HASH === 0) {
      hash.update(writer.from(hashedTo));
      hashedTo = writer.position;
    }
  });
  writer.reserve(ROW_BYTES_MAX);
  writer.fragment(frame.end);
  hash.update(writer.from(hashedTo));
  return { text: writer.finish(), digest: hash.digest() };
}
