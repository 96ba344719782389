import { readAmount, readArray, readTables } from '../reading.ts';
import { readContractRows, volumeReader } from '../contract-rows.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * What was traded in every contract in 24 hours:
 * ```json
 * [{"symbol":"BTCUSDT","priceChange":"-94.99","priceChangePercent":"-0.101","weightedAvgPrice":"95201.10",
 *   "lastPrice":"95100.20","lastQty":"0.002","openPrice":"95195.19","highPrice":"96000.00","lowPrice":"94010.50",
 *   "volume":"131075.12","quoteVolume":"12478494910.34","openTime":1763078400000,"closeTime":1763164799999,
 *   "firstId":28385,"lastId":28460,"count":76}]
 * ```
 * Shape [D]. `volume` is in the base asset, `quoteVolume` in the quote currency. All contracts together weigh 40 [D].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/24hr-Ticker-Price-Change-Statistics
 */
export const dayTickers: Resource = {
  name: 'ticker-24hr',
  polled: 'always',
  everyMs: 120_000,
  gives: ['volumes'],
  needs: ['instruments'],
  weight: 40,
  request: { method: 'GET', path: '/fapi/v1/ticker/24hr' },
  parse(body, _receivedAtMs, known) {
    const rows = readContractRows(readArray(readAnswer(body), 'answer'), 'answer', known.instruments);
    return readTables(rows, {
      volumes: volumeReader({ value: 'quoteVolume', coins: 'volume' }, readAmount),
    });
  },
};
