import { expect, it } from 'vitest';
import { barsQuery } from './cell-bars.ts';
import {
  changeCell,
  LAYOUTS_MAX,
  type LinkName,
  parseCells,
  parseLayouts,
  printCells,
  printLayouts,
  withCoin,
} from './layout.ts';

const linking =
  (...names: readonly LinkName[]) =>
  (what: LinkName) =>
    names.includes(what);

it('reads charts from an address and writes them back', () => {
  const text = 'BTC~coinbase-spot:BTC-USD@1h,kPEPE@1w';
  const cells = parseCells(text, 2);
  expect(cells).toEqual([
    { coin: 'BTC', market: 'coinbase-spot:BTC-USD', interval: '1h' },
    { coin: 'kPEPE', interval: '1w' },
  ]);
  expect(printCells(cells)).toBe(text);
});

it('keeps bars of another kind with their sizes, which go with the coin', () => {
  const text = 'BTC@5m:range:40,ETH~okx:ETH-USDT-SWAP@1h:trend_reversal::20,SOL@1m:pnf';
  const cells = parseCells(text, 3);
  expect(cells.map(({ bars }) => bars)).toEqual([
    { kind: 'range', values: [40] },
    { kind: 'trend_reversal', values: [undefined, 20] },
    { kind: 'pnf', values: [undefined, undefined] },
  ]);
  expect(printCells(cells)).toBe(text);
  expect(printCells(parseCells('BTC@5m:dots:3,ETH@1h:range:-1:2,SOL@1d:time', 3))).toBe(
    'BTC@5m,ETH@1h:range,SOL@1d',
  );
  expect(printCells(changeCell(cells, 2, withCoin(cells[2]!, 'XRP'), linking('coin')))).toBe(
    'XRP@5m:range,XRP@1h:trend_reversal,XRP@1m:pnf',
  );
  expect(barsQuery('1h', cells[1]!.bars).toString()).toBe('interval=1h&kind=trend_reversal&revTicks=20');
  expect(barsQuery('1h', undefined).toString()).toBe('interval=1h');
});

it('has defaults for charts that are missing or malformed', () => {
  expect(parseCells('BTC@7m,<b>@1h,SOL~no market@1d', 4)).toEqual([
    { coin: 'BTC', interval: '5m' },
    { coin: 'ETH', interval: '1h' },
    { coin: 'SOL', interval: '1d' },
    { coin: 'HYPE', interval: '5m' },
  ]);
  expect(parseCells(null, 99)).toHaveLength(6);
});

it('changes the coin of all charts where coins are linked, and of one where not', () => {
  const cells = parseCells('BTC~binance:BTCUSDT@1h,BTC@5m,ETH@1m', 3);
  const next = { coin: 'SOL', interval: '5m' } as const;
  expect(printCells(changeCell(cells, 1, next, linking('coin')))).toBe('SOL@1h,SOL@5m,SOL@1m');
  expect(printCells(changeCell(cells, 1, next, linking('time')))).toBe(
    'BTC~binance:BTCUSDT@1h,SOL@5m,ETH@1m',
  );
  const market = { coin: 'BTC', market: 'okx:BTC-USDT-SWAP', interval: '5m' } as const;
  expect(printCells(changeCell(cells, 1, market, linking('coin')))).toBe(
    'BTC~binance:BTCUSDT@1h,BTC~okx:BTC-USDT-SWAP@5m,BTC@1m',
  );
});

it('changes the interval of all charts where intervals are linked, also of those that are added', () => {
  const cells = parseCells('BTC~binance:BTCUSDT@1h,ETH@5m', 2);
  const next = { coin: 'ETH', interval: '1d' } as const;
  expect(printCells(changeCell(cells, 1, next, linking('interval')))).toBe('BTC~binance:BTCUSDT@1d,ETH@1d');
  expect(printCells(changeCell(cells, 1, next, linking('interval', 'coin')))).toBe('ETH@1d,ETH@1d');
  expect(printCells(parseCells('BTC@1d', 2, linking('interval')))).toBe('BTC@1d,ETH@1d');
});

it('shows all markets of the new coin where those of the old one were shown together', () => {
  const cells = parseCells('BTC~all:BTC@1h,BTC~perp:BTC@5m,BTC~binance:BTCUSDT@1m', 3);
  const next = withCoin(cells[0]!, 'ETH');
  expect(printCells(changeCell(cells, 0, next, linking('coin')))).toBe(
    'ETH~all:ETH@1h,ETH~perp:ETH@5m,ETH@1m',
  );
});

it('exports layouts as a file and says what is wrong with another', () => {
  const layouts = { Mine: 'n=2&charts=BTC@1m' };
  expect(parseLayouts(printLayouts(layouts))).toEqual({ layouts });
  expect(parseLayouts('{')).toEqual({ error: 'The file is not JSON.' });
  expect(parseLayouts('{"a":1}')).toEqual({ error: 'This is not a layouts file.' });
  const many = Object.fromEntries(Array.from({ length: LAYOUTS_MAX + 1 }, (_, i) => [`L${i}`, '']));
  expect(parseLayouts(printLayouts(many))).toMatchObject({ error: expect.stringContaining('malformed') });
});

it('gives charts that are added the coin of the first where coins are linked', () => {
  expect(printCells(parseCells('HYPE~perp:HYPE@1h,HYPE@1m', 4, linking('coin')))).toBe(
    'HYPE~perp:HYPE@1h,HYPE@1m,HYPE~perp:HYPE@1h,HYPE~perp:HYPE@1h',
  );
  expect(printCells(parseCells('HYPE@1h', 2))).toBe('HYPE@1h,ETH@5m');
});
