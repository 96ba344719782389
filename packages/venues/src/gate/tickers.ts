import type { Volume } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { notNegative, present, readObject, readOptional, readRows, readText } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { readAmount, readList, SIZE_HEADERS } from './answer.ts';

/**
 * What was traded in every contract in 24 hours:
 * ```json
 * [{"contract":"BTC_USDT","last":"75180.8","change_percentage":"-1.0246","total_size":"616999728",
 *   "volume_24h":"562890187","volume_24h_base":"56289.0187","volume_24h_quote":"4231853464",
 *   "volume_24h_settle":"4231853464","mark_price":"75180.8","funding_rate":"0.000094","index_price":"75210.0",
 *   "low_24h":"74635.0","high_24h":"76143.0","highest_bid":"75180.7","lowest_ask":"75180.8"}]
 * ```
 * Shape [C]. `volume_24h` is in contracts, `volume_24h_base` in coins, `volume_24h_quote` in the quote currency [D].
 * https://www.gate.com/docs/developers/apiv4/en/#get-all-futures-trading-statistics
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 120_000,
  gives: ['volumes'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/api/v4/futures/usdt/tickers', headers: SIZE_HEADERS },
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const list = readList(body);
    const { rows, refused } = readRows(list.length, (i, odd): Volume | undefined => {
      const row = readObject(list[i], `answer[${i}]`);
      const symbol = readText(row.contract, `answer[${i}].contract`);
      const instrument = ours.get(symbol);
      if (!instrument) return undefined;
      const value = readVolume(row.volume_24h_quote, `${symbol}.volume_24h_quote`);
      const coins = readOptional(row.volume_24h_base, `${symbol}.volume_24h_base`, readVolume, odd);
      return { coin: instrument.coin, symbol, value, ...present({ coins }) };
    });
    return { volumes: rows, refused };
  },
};

function readVolume(value: unknown, what: string): number {
  return notNegative(readAmount(value, what), what);
}
