import {
  type Fields,
  readArray,
  readInteger,
  readIsoTime,
  readObject,
  readPositiveNumber,
  readRows,
} from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';

const CODE = 'FRX.KRWUSD';
const KOREA_AHEAD_MS = 9 * 3_600_000;

/**
 * A Korean bank's rate of the dollar, renewed by the minute in banking hours:
 * ```json
 * [{"code":"FRX.KRWUSD","currencyCode":"USD","date":"2026-11-13","time":"20:00:12","basePrice":1468.5,
 *   "openingPrice":1466.1,"change":"RISE","changePrice":2.4,"signedChangeRate":0.0016369,"cashBuyingPrice":1494.1,
 *   "cashSellingPrice":1442.9,"timestamp":1763031612000}]
 * ```
 * Seen in use, nowhere documented [M]; it may vanish. `date` and `time` are Korean.
 */
export const forex: Resource = {
  name: 'forex',
  polled: 'always',
  everyMs: 60_000,
  gives: ['exchangeRates'],
  weight: 1,
  request: { method: 'GET', path: `/v1/forex/recent?codes=${CODE}` },
  parse(body) {
    const list = readArray(body, 'answer');
    const { rows: quotes, refused } = readRows(list.length, (i) => readObject(list[i], `answer[${i}]`));
    const quote = quotes.find(({ code }) => code === CODE);
    if (!quote) throw new Malformed(`no ${CODE} among ${list.length} rates`);
    const rate = readPositiveNumber(quote.basePrice, `${CODE}.basePrice`);
    const asOfMs = readTime(quote);
    const reported = { coin: 'USD', quote: 'KRW', rate, asOfMs };
    return { exchangeRates: [reported], ...(refused.length > 0 && { refused }) };
  },
};

/** By `timestamp`, or else by date and time, which say the same. */
function readTime({ timestamp, date, time }: Fields): number {
  if (timestamp !== undefined && timestamp !== null) return readInteger(timestamp, `${CODE}.timestamp`);
  return readIsoTime(`${String(date)}T${String(time)}Z`, `${CODE} date and time`) - KOREA_AHEAD_MS;
}
