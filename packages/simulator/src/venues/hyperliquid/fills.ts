import type { Market } from '../../market/market.ts';
import type { TradeRow, TradeRows } from '../../market/trade-rows.ts';
import { decimal, type TradePrinter, transactionHash } from './print.ts';

/** Fills are searched for within this time after the requested start. */
const FILLS_SPAN_MS = 15 * 60_000;
const FILLS_MAX = 2000;
const TAKER_FEE = 0.00045;
const MAKER_FEE = 0.00015;

/**
 * {"coin":"BTC","px":"66653.0","sz":"0.001","side":"A","time":1781528065899,"startPosition":"-0.0213","dir":"Open Short",
 *  "closedPnl":"0.0","hash":"0xe29f…","oid":55030848197,"crossed":false,"fee":"0.009997","tid":745210434703679,
 *  "liquidation":{"liquidatedUser":"0x3608…04fb","markPx":"66607.0","method":"market"},"feeToken":"USDC","twapId":null}
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint#retrieve-a-users-fills-by-time
 */
export function printFills(
  source: { readonly market: Market; readonly rows: TradeRows; readonly printer: TradePrinter },
  query: { readonly user: string; readonly startMs: number; readonly endMs: number },
): unknown[] {
  const { market, rows, printer } = source;
  const user = query.user.toLowerCase();
  const untilMs = Math.min(query.endMs, query.startMs + FILLS_SPAN_MS) + 1;
  const fills: { readonly row: TradeRow; readonly isTaker: boolean }[] = [];
  for (const coin of market.coins) {
    if (coin.isDelisted) continue;
    for (const row of rows.read(coin, query.startMs, untilMs)) {
      const isTaker = printer.taker(row.taker) === user;
      if (isTaker || printer.maker(row.maker) === user) fills.push({ row, isTaker });
    }
  }
  fills.sort((a, b) => a.row.ts - b.row.ts);
  return fills.slice(0, FILLS_MAX).map(({ row, isTaker }) => printFill(market, printer, row, isTaker));
}

/** One side of a trade. */
export function printFill(market: Market, printer: TradePrinter, row: TradeRow, isTaker: boolean): unknown {
  const isBuy = row.isBuy === isTaker;
  const isClose = isTaker && row.isLiquidation;
  const position = isClose ? row.size : 0;
  return {
    coin: row.coin,
    px: decimal(row.price),
    sz: decimal(row.size),
    side: isBuy ? 'B' : 'A',
    time: row.ts,
    startPosition: decimal(isBuy ? -position : position),
    dir: isClose ? (isBuy ? 'Close Short' : 'Close Long') : isBuy ? 'Open Long' : 'Open Short',
    closedPnl: '0.0',
    hash: transactionHash(row.order),
    oid: row.order + (isTaker ? 0 : row.maker * 2 ** 32),
    crossed: isTaker,
    fee: decimal(row.price * row.size * (isTaker ? TAKER_FEE : MAKER_FEE), 6),
    tid: row.tid,
    ...(row.isLiquidation ? { liquidation: liquidation(market, printer, row) } : {}),
    feeToken: 'USDC',
    twapId: null,
  };
}

function liquidation(market: Market, printer: TradePrinter, row: TradeRow): unknown {
  return {
    liquidatedUser: printer.taker(row.taker),
    markPx: decimal(market.quote(row.coin, row.ts).mark),
    method: 'market',
  };
}
