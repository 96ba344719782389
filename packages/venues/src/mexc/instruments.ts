import type { Instrument } from '@crosstape/core';
import { isGoldToken } from '../gold-tokens.ts';
import { readArray, readObject, readPositiveNumber, MOST, readRows, readText, readTick } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

const SETTLED_IN: ReadonlySet<unknown> = new Set(['USDT', 'USDC']);
const ENABLED = 0;
const PERPETUAL = 1;
/** Zones of the venue's market list that hold no coins, spelled in either case [M]. */
const NOT_CRYPTO = /^mc-trade-zone-(tradfi|stock|etf|forex|index|metals|commodit|preipo)/i;

/**
 * Every contract that the venue knows, here without what does not concern us:
 * ```json
 * {"symbol":"FILECOIN_USDT","displayNameEn":"FILECOIN_USDT PERPETUAL","baseCoin":"FILECOIN","quoteCoin":"USDT",
 *  "baseCoinName":"FIL","quoteCoinName":"USDT","futureType":1,"settleCoin":"USDT","contractSize":0.0001,"priceUnit":0.1,"volUnit":1,"minVol":1,"maxVol":1500000,"state":0,
 *  "isNew":false,"isHot":false,"isHidden":false,"conceptPlate":["mc-trade-zone-pow"],"apiAllowed":false}
 * ```
 * A contract is `contractSize` of its coin, which is `baseCoinName`: on some contracts `baseCoin` is an id of the venue's
 * own (`TRUMPOFFICIAL`, `FILECOIN`, `TONCOIN`, `PUMPFUN`) [M, twice]. `state`: 0 enabled, 1 delivery, 2 completed, 3 offline, 4 paused [C]; that
 * `futureType` 1 is a perpetual one [K]. Stocks, currencies and metals trade under the same form and are distinguished by
 * their zone (`conceptPlate`) [M]. One request in 5 s [C].
 * https://www.mexc.com/api-docs/futures/market-endpoints/get-contract-info
 */
export const instruments: Resource = {
  name: 'detail',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  retryMs: 5_000,
  weight: 1,
  request: { method: 'GET', path: '/api/v1/contract/detail' },
  parse(body) {
    const contracts = readArray(readAnswer(body), 'data');
    const { rows, refused } = readRows(contracts.length, (i) => parseContract(contracts[i]), MOST);
    return { instruments: rows, refused };
  },
};

function parseContract(row: unknown): Instrument | undefined {
  const contract = readObject(row, 'contract');
  const symbol = readText(contract.symbol, 'symbol');
  const { state, isHidden, futureType, conceptPlate } = contract;
  if ((state ?? ENABLED) !== ENABLED || isHidden === true) return undefined;
  if ((futureType ?? PERPETUAL) !== PERPETUAL) return undefined;
  const quote = contract.quoteCoin ?? symbol.split('_')[1];
  if ((contract.settleCoin ?? quote) !== quote || !SETTLED_IN.has(quote)) return undefined;
  const coin = readText(contract.baseCoinName || contract.baseCoin, `${symbol}.baseCoinName`);
  const zones: readonly unknown[] = Array.isArray(conceptPlate) ? conceptPlate : [];
  const isStock = [coin, contract.baseCoin].some((name) => String(name).endsWith('STOCK'));
  const isCrypto = !isStock && !zones.some((zone) => NOT_CRYPTO.test(String(zone)));
  if (!isCrypto && !isGoldToken(coin)) return undefined;
  const contractSize = readPositiveNumber(contract.contractSize, `${symbol}.contractSize`);
  const tick = readTick(contract.priceUnit);
  return { symbol, coin, quote: readText(quote, `${symbol}.quoteCoin`), contractSize, ...tick };
}
