import { readFileSync, writeFileSync } from 'node:fs';
import { HOUR_MS, type Trade } from '@crosstape/core';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/system-clock.ts';
import { lockFolder } from '../../store/folder-lock.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { LATE_REASON } from '../../features/tape/late-minutes.ts';
import { owner, TestFolder } from './test-folder.fixture.ts';

const START_MS = 1_760_000_400_000 - (1_760_000_400_000 % HOUR_MS);
const formats = ['csv', 'ndjson', 'parquet'] as const;

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
});
afterEach(() => folder.remove());

/** Realistic trades: bursts of one order, pauses, late ones, unusual decimals. */
function market(count: number, seed: number): readonly Trade[] {
  const trades: Trade[] = [];
  let ts = START_MS + seed;
  for (let i = 0; i < count; i += 1) {
    const turn = (i * 7_919 + seed * 104_729) % 1_000;
    const before = trades.at(-1);
    ts += turn < 500 ? 0 : turn < 990 ? turn : turn * 400;
    const isSame = before?.ts === ts && turn < 250;
    const side = isSame ? before.side : turn % 2 === 0 ? 'buy' : 'sell';
    const price = [96_500, 96_500.5, 0.000_012_3, 96_499][turn % 4] as number;
    const size = [0.05, 0.000_01, 1_234.5, 7][i % 4] as number;
    // Some late, and some of a venue whose clock is ahead of ours.
    const late =
      turn % 17 === 0 ? { venueTs: ts - 1 - turn } : turn % 23 === 0 ? { venueTs: ts + 6_000 + turn } : {};
    trades.push({
      ...owner,
      side,
      price,
      size,
      notionalUsd: 0,
      ts,
      ...late,
      tid: 2 ** 49 + i * 977,
      sameOrder: isSame,
    });
  }
  return trades;
}

describe('export', () => {
  const trades = market(3, 1);
  const [first, , last] = trades as [Trade, Trade, Trade];

  it('prints every column, with exactly the decimals of the venue', async () => {
    const data = await folder.record([
      { ...first, price: 0.000_000_12, size: 96_500, ts: START_MS, tid: 1 },
      { ...first, price: 96_500.5, size: 0.05, ts: START_MS, tid: 2, sameOrder: true },
      { ...last, side: 'sell', price: 10, size: 1, ts: START_MS + 5, venueTs: START_MS - 1, tid: 3 },
    ]);
    const side = first.side;
    expect(String(await folder.export(data, 'csv'))).toBe(
      [
        'ts,price,size,side,tid,venueTs,sameOrder',
        `${START_MS},0.00000012,96500,${side},1,,false`,
        `${START_MS},96500.5,0.05,${side},2,,true`,
        `${START_MS + 5},10,1,sell,3,${START_MS - 1},false`,
        '',
      ].join('\n'),
    );
    expect(String(await folder.export(data, 'ndjson')).split('\n')[2]).toBe(
      `{"ts":${START_MS + 5},"price":10,"size":1,"side":"sell","tid":3,"venueTs":${START_MS - 1},"sameOrder":false}`,
    );
  });

  it('takes any spelling of the coin, and times in milliseconds or as a date', async () => {
    const data = await folder.record(market(600, 3));
    const lines = String(await folder.export(data, 'csv'))
      .split('\n')
      .slice(1, -1);
    const times = lines.map((line) => Number(line.split(',')[0]));
    const [from, to] = [times[150] as number, times[450] as number];
    const wanted = lines.filter((_, i) => (times[i] as number) >= from && (times[i] as number) < to);
    for (const [a, b] of [
      [String(from), String(to)],
      [new Date(from).toISOString(), new Date(to).toISOString()],
    ] as const) {
      const { out } = await folder.run('export', '--coin', 'btc', '--data', data, '--from', a, '--to', b);
      expect(out.split('\n').slice(1, -1)).toEqual(wanted);
    }
  });

  it('gives a file without trades when there are none in the range', async () => {
    const data = await folder.record(trades);
    for (const format of formats) await folder.export(data, format, '--to', '5');
    expect(String(await folder.export(data, 'csv', '--to', '5'))).toBe(
      'ts,price,size,side,tid,venueTs,sameOrder\n',
    );
  });

  it('ends without a gap beside a service that has entered in the ledger how far it has recorded', async () => {
    const data = await folder.record(trades);
    const nowMs = systemClock.now();
    await folder.within(data, (store) =>
      store.commit([new GapLedger(store).extending({ from: START_MS, to: nowMs - 900 })]),
    );
    for (const to of [[], ['--to', String(nowMs)]])
      expect((await folder.run('export', '--coin', 'BTC', '--data', data, ...to)).error).toBe('');
  });

  it('reports the gaps of the tape beside the file', async () => {
    const data = await folder.record(trades);
    await folder.within(data, async (store) => {
      const ledger = new GapLedger(store);
      const gap = { from: START_MS + 1, to: START_MS + 3 };
      await store.commit([
        ledger.extending({ from: START_MS, to: START_MS + 10 }),
        ...ledger.entering([{ coin: 'BTC', ...gap, state: 'missing', reason: 'no socket was up' }]),
      ]);
    });
    const { error } = await folder.run(
      'export',
      '--coin',
      'BTC',
      '--data',
      data,
      '--to',
      String(START_MS + 10),
    );
    expect(error).toBe(
      `missing from ${new Date(START_MS + 1).toISOString()} to ${new Date(START_MS + 3).toISOString()}: no socket was up\n`,
    );
  });

  it.each([
    [['export'], '--coin or --market is missing'],
    [
      ['export', '--coin', 'BTC', '--format', 'xlsx'],
      '--format must be one of csv, ndjson, parquet, arrow, freqtrade, tardis, not "xlsx"',
    ],
    [['export', '--coin', 'BTC', '--format', 'parquet'], '--out is missing'],
    [['export', '--coin', 'BTC', '--from', 'yesterday'], '--from must be milliseconds'],
    [['export', '--coin', 'BTC', '--from', '2026-02-30'], '--from must be milliseconds'],
    [['export', '--coin', 'BTC', '--from', '2026-02-03T10:00'], '--from must be milliseconds'],
    [['export', '--coin', 'BTC', '--from', '5', '--to', '5'], '--from must be before --to'],
    [['export', '--coin', 'NOPE'], 'no recorded trades for NOPE; recorded: BTC'],
    [['export', '--coin', 'BTC', '--upstream', 'sim'], '; found: live'],
    [['export', '--coin', 'BTC', 'FILE'], 'unexpected argument FILE'],
    [['expört'], 'ticks needs one of export, import, reconcile, salvage, verify, not expört'],
    [[], 'ticks needs one of export, import, reconcile, salvage, verify;'],
  ])('%j is refused: %s', async (args, message) => {
    const data = await folder.record(trades);
    await expect(folder.run(...args, ...(args.length > 0 ? ['--data', data] : []))).rejects.toThrow(message);
  });

  it('reports that it reads the folder when the record is on Redis', async () => {
    const data = await folder.record(trades);
    const where = { REDIS_URL: 'redis://127.0.0.1:6379' };
    const { code, error } = await folder.runIn(where, 'verify', '--data', data);
    expect(code).toBe(0);
    expect(error).toContain('REDIS_URL is set, but ticks knows only the record in a folder');
    expect((await folder.run('verify', '--data', data)).error).not.toContain('REDIS_URL');
  });

  it('never writes over a file, and leaves none that is not whole', async () => {
    const data = await folder.record(trades);
    const out = folder.name('.csv');
    writeFileSync(out, 'mine');
    await expect(folder.run('export', '--coin', 'BTC', '--data', data, '--out', out)).rejects.toThrow(
      'already exists',
    );
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });
});

describe('parquet', () => {
  it('is read by DuckDB as the same trades as the CSV, and read back from it', async () => {
    const data = await folder.record(market(2_000, 8));
    const [csv, parquet, theirs] = [folder.name('.csv'), folder.name('.parquet'), folder.name('.parquet')];
    for (const out of [csv, parquet])
      await folder.run('export', '--coin', 'BTC', '--data', data, '--out', out);
    const instance = await DuckDBInstance.create();
    const duck = await instance.connect();
    const read = `read_csv('${csv}', types = {'venueTs': 'BIGINT'})`;
    const differing = await duck.runAndReadAll(
      `(FROM '${parquet}' EXCEPT ALL FROM ${read}) UNION ALL (FROM ${read} EXCEPT ALL FROM '${parquet}')`,
    );
    expect(differing.getRowsJson()).toEqual([]);
    await duck.run(`COPY (FROM '${parquet}') TO '${theirs}'`);
    duck.closeSync();
    instance.closeSync();
    const copy = folder.name();
    await folder.run('import', '--coin', 'BTC', '--data', copy, '--upstream', 'live', theirs);
    expect((await folder.export(copy, 'csv')).equals(readFileSync(csv))).toBe(true);
  });
});

describe('import', () => {
  const importInto = (data: string, file: string, ...more: readonly string[]) =>
    folder.run('import', '--coin', 'BTC', '--data', data, '--upstream', 'live', ...more, file);

  const write = (lines: readonly string[], end = '.csv'): string => {
    const file = folder.name(end);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };

  it.each(formats)('of an exported %s into an empty folder exports the identical file', async (format) => {
    const data = await folder.record(market(1_500, 1));
    const file = folder.name(`.${format}`);
    await folder.run('export', '--coin', 'BTC', '--data', data, '--out', file);
    const copy = folder.name();
    expect((await importInto(copy, file)).out).toMatch(
      /^1500 trades of BTC imported, from .+; the ledger says partial\n$/,
    );
    expect((await folder.export(copy, format)).equals(readFileSync(file))).toBe(true);
    expect((await folder.run('verify', '--data', copy)).out).toContain('1500 trades');
  });

  it('says that the service will not keep what is older than its retention', async () => {
    const day = (ago: number): number => systemClock.now() - ago * 24 * HOUR_MS;
    const lines = (ts: number): string[] => ['ts,price,size,side,tid', `${Math.floor(ts)},1,1,buy,1`];
    const old = await importInto(folder.name(), write(lines(day(8))));
    expect(old.error).toContain('the service keeps 7 days: trades from before ');
    expect((await importInto(folder.name(), write(lines(day(6))))).error).not.toContain('the service keeps');
  });

  it('fills any gap of any tape, and what comes out is the whole tape', async () => {
    const all = market(900, 2);
    const edges = all.flatMap(({ ts }, i) => (i > 0 && ts !== all[i - 1]?.ts ? [i] : []));
    const whole = String(await folder.export(await folder.record(all), 'csv'));
    const [head, ...lines] = whole.split('\n').slice(0, -1) as [string, ...string[]];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(0, ...edges, all.length), { minLength: 2, maxLength: 4 }),
        fc.constantFrom(...formats),
        async (cuts, format) => {
          const [from = 0, to = 0, ...restarts] = cuts.toSorted((a, b) => a - b);
          const file = folder.name(`.${format}`);
          const source = await folder.record(all.slice(from, to));
          await folder.run('export', '--coin', 'BTC', '--data', source, '--out', file);
          const runs = [all.slice(0, from), ...pieces(all, [to, ...restarts, all.length])];
          const data = await folder.record(...runs.filter((run) => run.length > 0));
          await importInto(data, file);
          expect(String(await folder.export(data, 'csv'))).toBe([head, ...lines, ''].join('\n'));
          expect((await folder.run('verify', '--data', data)).code).toBe(0);
          await expect(importInto(data, file)).rejects.toThrow('BTC has recorded trades from');
        },
      ),
      { numRuns: process.env.LONG === '1' ? 12 : 2, seed: 7 },
    );
  });

  it.each([
    ['in the tail', [0, 50], [40, 90], [50, 50]],
    ['in a chunk', [0, HOUR_MS], [-10, 10], [0, 0]],
    ['in several', [0, HOUR_MS, 2 * HOUR_MS], [-10, 3 * HOUR_MS], [0, 2 * HOUR_MS]],
    ['with the same time', [0, HOUR_MS], [HOUR_MS, HOUR_MS], [HOUR_MS, HOUR_MS]],
  ])('refuses a file that meets recorded trades %s, and names where', async (_, recorded, given, met) => {
    const [sample] = market(1, 1) as [Trade];
    const data = await folder.record(recorded.map((at, i) => ({ ...sample, ts: START_MS + at, tid: i })));
    const rows = given.map((at, i) => `${START_MS + at},1,1,buy,${i + 900}`);
    const [from, to] = met.map((at) => new Date(START_MS + at).toISOString());
    await expect(importInto(data, write(['ts,price,size,side,tid', ...rows]))).rejects.toThrow(
      `BTC has recorded trades from ${from} to ${to}, and the file covers`,
    );
  });

  it('replaces what the ledger had for the imported range', async () => {
    const all = market(300, 4).map(({ venueTs: _, ...trade }): Trade => trade);
    const [from, to] = [all[100]?.ts as number, all[200]?.ts as number];
    const data = await folder.record(all.filter(({ ts }) => ts < from || ts >= to));
    const missing = { coin: 'BTC', state: 'missing', reason: 'no socket was up' } as const;
    const gap = { ...missing, from: from - 50, to: to + 50 };
    await folder.within(data, (store) => store.commit(new GapLedger(store).entering([gap])));
    const file = folder.name('.csv');
    writeFileSync(file, await folder.export(await folder.record(all), 'csv'));
    await importInto(data, file, '--complete', '--from', String(from), '--to', String(to));
    const last = all.findLast(({ ts }) => ts < to)?.ts as number;
    expect(await folder.gaps(data)).toEqual([
      { ...missing, from: from - 50, to: from },
      { coin: 'BTC', from, to: last + 1, state: 'refilled', reason: 'imported, and said to be complete' },
      { ...missing, from: last + 1, to: to + 50 },
    ]);
  });

  it('enters the minutes of imported trades that were late as partial, however complete the file is', async () => {
    const data = await folder.record([]);
    const minuteMs = 60_000;
    const start = Math.ceil(START_MS / minuteMs) * minuteMs;
    const rows = [`${start},1,1,buy,1,`, `${start + 130_000},1,1,buy,2,${start + 70_000}`];
    await importInto(data, write(['ts,price,size,side,tid,venueTs', ...rows]), '--complete');
    const late = { coin: 'BTC', state: 'partial', reason: LATE_REASON, late: true };
    expect(await folder.gaps(data)).toEqual([
      expect.objectContaining({ from: start, to: start + 130_001, state: 'refilled' }),
      { ...late, from: start + minuteMs, to: start + 2 * minuteMs },
      { ...late, from: start + 2 * minuteMs, to: start + 131_000 },
    ]);
  });

  const columns = 'ts,price,size,side,tid';
  it.each([
    [[columns, '5,1,1,buy,1', '4,1,1,buy,2'], 'line 3: ts 4 is before 5, the one above it'],
    [
      [columns, '5,1,1,buy,1', '5,1,1,sell,1'],
      'the trade with tid 1, at 1970-01-01T00:00:00.005Z, appears twice',
    ],
    [[`${columns},venueTs`, '5,1,1,buy,1,', '6,1,1,buy,1,5'], 'appears twice'],
    [[`${columns},venueTs`, '5,1,1,buy,1,5'], 'line 2: venueTs 5 is not another time than ts'],
    [
      [`${columns},sameOrder`, '5,1,1,buy,1,true'],
      'line 2: sameOrder, but the trade above it has another time',
    ],
    [[`${columns},sameOrder`, '5,1,1,buy,1,0', '5,1,1,sell,2,1'], 'line 3: sameOrder, but'],
    [[columns, '5,1,1,buy'], 'line 2: 4 cells, but 5 columns'],
    [[columns, '5,1,1,buy,1', '', '6,1,1,buy,2'], 'line 3: 1 cells'],
    [[columns, '5,0,1,buy,1'], 'line 2: price must be a decimal above 0, not "0"'],
    [[columns, '5,1,-1,buy,1'], 'line 2: size must be a decimal above 0, not "-1"'],
    [[columns, '5,1.2345678901234567,1,buy,1'], 'line 2: price must be a decimal of at most 15 digits'],
    [[columns, '5,1,0.000000001,buy,1'], 'line 2: size must be a number of at most 8 decimals'],
    [[columns, '5,1.5e-8,1,buy,1'], 'line 2: price must be a number of at most 8 decimals'],
    [[columns, '5,1,1,BUY,1'], 'line 2: side must be buy or sell, not "BUY"'],
    [[columns, '5.5,1,1,buy,1'], 'line 2: ts must be a whole number from 0 below 2^53, not "5.5"'],
    [[columns, '5,1,1,buy,9007199254740993'], 'line 2: tid must be a whole number'],
    [[columns, '9999999999999,1,1,buy,1'], 'which is in the future'],
    [['ts,price,size,side'], 'line 1: column tid is missing'],
    [
      [`${columns},fee`],
      'line 1: unknown column fee; allowed: ts, price, size, side, tid, venueTs, sameOrder',
    ],
    [[`${columns},ts`], 'line 1: column ts appears twice'],
    [[columns], 'holds no trades'],
  ])('refuses %j: %s', async (lines, message) => {
    const data = await folder.record(market(10, 5));
    const before = String(await folder.export(data, 'csv'));
    await expect(importInto(data, write(lines))).rejects.toThrow(message);
    expect(String(await folder.export(data, 'csv'))).toBe(before);
    expect(await folder.gaps(data)).toEqual([]);
  });

  it('refuses what is not of the format', async () => {
    const data = await folder.record(market(10, 5));
    await expect(importInto(data, write(['{'], '.ndjson'))).rejects.toThrow('line 1: not JSON');
    await expect(importInto(data, write(['[]'], '.ndjson'))).rejects.toThrow('line 1: not an object');
    await expect(importInto(data, write(['{"ts":1,"price":1}'], '.jsonl'))).rejects.toThrow(
      'column size is missing',
    );
    await expect(importInto(data, write(['PAR2'], '.parquet'))).rejects.toThrow('is not a Parquet file');
    await expect(importInto(data, folder.name('.csv'))).rejects.toThrow('ENOENT');
  });

  it('refuses a late trade that the record has under its own time', async () => {
    const [a, b] = market(2, 1) as [Trade, Trade];
    const data = await folder.record([
      { ...a, ts: START_MS, tid: 7 },
      { ...b, ts: START_MS + 50, tid: 8 },
    ]);
    const row = `${START_MS + 20},1,1,buy,7,${START_MS}`;
    await expect(importInto(data, write([`${columns},venueTs`, row]))).rejects.toThrow('appears twice');
  });

  it('refuses a folder that is recorded into, and one that is half made', async () => {
    const data = await folder.record(market(10, 5));
    const lock = await lockFolder(`${data}/live`);
    const file = write([columns, '5,1,1,buy,1']);
    await expect(importInto(data, file)).rejects.toThrow(
      /another Crosstape records into .+; stop it before you import/,
    );
    await lock.release();
    writeFileSync(`${data}/live/unfinished`, '');
    await expect(importInto(data, file)).rejects.toThrow('is unfinished');
  });

  it('asks for the dataset when the folder holds several', async () => {
    const file = write([columns, '5,1,1,buy,1']);
    const args = ['import', '--coin', 'BTC', '--data', folder.name()];
    await expect(folder.run(...args, file)).rejects.toThrow('choose --upstream live or sim');
    await folder.run(...args, '--upstream', 'live', file);
    await folder.run(...args, '--upstream', 'sim', '--seed', '0', file);
    await folder.run(...args, '--upstream', 'sim', '--seed', '0', '--sim-size', 'real', file);
    await expect(folder.run(...args, file)).rejects.toThrow('holds live, sim/0, sim/0-real: choose one');
    const sim = ['--data', args[4] as string, '--upstream', 'sim', '--seed', '0', '--json'];
    for (const size of ['everyday', 'real']) {
      const { out } = await folder.run('verify', ...sim, '--sim-size', size);
      expect(JSON.parse(out)).toMatchObject({
        coins: [{ coin: 'BTC', tailTrades: 1 }],
        damages: [],
        damaged: 0,
      });
    }
  });
});

/** The parts between cuts. */
function pieces(all: readonly Trade[], cuts: readonly number[]): readonly (readonly Trade[])[] {
  return cuts.slice(1).map((cut, i) => all.slice(cuts[i], cut));
}
