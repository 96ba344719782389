import { describe, expect, it } from 'vitest';
import type { Source } from '../../../live/reading.svelte.ts';
import type { Bar, Topic } from '../../../live/topic.ts';
import { cvdLines, POINTS_MAX, withAnswer } from './cvd-lines.ts';
import { joinEvents, liquidationSides, withReceived } from './liquidation-sides.ts';
import { summed, weighted } from './held-samples.ts';
import { coinsPerContract, LIVE_MAX, oiSamples, withLive } from './oi-lines.ts';
import { stateText, venueLines, venueOrder } from './target.ts';

const MINUTE_MS = 60_000;

describe('CVD by venue', () => {
  it('sums dollars of each venue and of each kind, from point to point', () => {
    const { venues, perp, spot } = cvdLines([
      { ts: 0, markets: { 'okx:BTC-USDT-SWAP': [1, 100], 'okx-spot:BTC-USDT': [-1, -30] } },
      { ts: 1, markets: { 'coinbase-spot:BTC-USD': [0.5, 50] } },
      { ts: 2, markets: { 'okx:BTC-USDT-SWAP': [-1, -10] } },
    ]);
    expect(Object.fromEntries(venues)).toEqual({
      okx: [
        { ts: 0, value: 70 },
        { ts: 2, value: 60 },
      ],
      coinbase: [{ ts: 1, value: 50 }],
    });
    expect(perp.map(({ value }) => value)).toEqual([100, 90]);
    expect(spot.map(({ value }) => value)).toEqual([-30, 20]);
  });

  const record = (startMs: number, ...values: readonly (readonly [ts: number, usd: number])[]) => ({
    startMs,
    points: values.map(([ts, usd]) => ({ ts, markets: { 'okx:BTC': [0, usd] } })),
  });

  it('joins newer figures from an interval on that it has, and older pages before all', () => {
    const kept = record(0, [1, 10], [5, 50], [8, 80]);
    expect(withAnswer(kept, record(8, [8, 81], [9, 90]))).toEqual(
      record(0, [1, 10], [5, 50], [8, 81], [9, 90]),
    );
    const later = record(100, [101, 1]);
    expect(withAnswer(later, record(50, [60, 6]))).toEqual(record(50, [60, 6], [101, 1]));
    expect(withAnswer(later, record(50))).toEqual(record(50, [101, 1]));
  });

  it('begins again where figures between are missing, and keeps a bounded number', () => {
    const kept = record(0, [1, 10]);
    expect(withAnswer(kept, record(5, [6, 1]))).toEqual(record(5, [6, 1]));
    expect(withAnswer(undefined, kept)).toBe(kept);
    const many = record(0, ...Array.from({ length: POINTS_MAX }, (_, i) => [i, 1] as const));
    const grown = withAnswer(many, record(POINTS_MAX - 1, [POINTS_MAX - 1, 2], [POINTS_MAX, 3]));
    expect(grown.points).toHaveLength(POINTS_MAX);
    expect(grown.startMs).toBe(1);
  });
});

describe('open interest by venue', () => {
  const row = { venue: 'okx', oiContracts: 200, oiCoin: 2, fetchedAt: 1_000 };

  it('turns contracts into coins, and continues with live values', () => {
    expect(coinsPerContract(row)).toBe(0.01);
    expect(coinsPerContract({ venue: 'gate', oiContracts: 0, fetchedAt: 0 })).toBeUndefined();
    const recorded = [
      { t: 0, v: 100 },
      { t: 500, v: 150 },
    ];
    const live = withLive(new Map([['okx', [{ ts: 400, value: 9 }]]]), [row]).get('okx') ?? [];
    expect(oiSamples(recorded, 0.01, live)).toEqual([
      { ts: 0, value: 1 },
      { ts: 500, value: 1.5 },
      { ts: 1_000, value: 2 },
    ]);
  });

  it('takes an unchanged answer once, and keeps a bounded number', () => {
    let live = withLive(new Map(), [row, row, { venue: 'gate', oiContracts: 0, fetchedAt: 1_000 }]);
    expect([...live]).toEqual([['okx', [{ ts: 1_000, value: 2 }]]]);
    for (let i = 0; i < LIVE_MAX + 5; i += 1) live = withLive(live, [{ ...row, fetchedAt: 2_000 + i }]);
    expect(live.get('okx')).toHaveLength(LIVE_MAX);
  });
});

describe('figures of several venues together', () => {
  const HOUR_MS = 3_600_000;
  const list = (...pairs: readonly (readonly [ts: number, value: number])[]) =>
    pairs.map(([ts, value]) => ({ ts, value }));

  it('are summed where all of them have reported, and not where one has stopped', () => {
    const steady = list([0, 10], [HOUR_MS, 11], [2 * HOUR_MS, 12], [3 * HOUR_MS, 13], [4 * HOUR_MS, 14]);
    const late = list([HOUR_MS + 5, 100], [4 * HOUR_MS, 200]);
    expect(summed([steady, late])).toEqual(
      list([HOUR_MS + 5, 111], [2 * HOUR_MS, 112], [3 * HOUR_MS, 113], [4 * HOUR_MS, 214]),
    );
    expect(summed([steady, list([0, 100])])).toEqual(list([0, 110], [HOUR_MS, 111], [2 * HOUR_MS, 112]));
    expect([summed([]), summed([steady, []])]).toEqual([[], []]);
  });

  it('have a mean by weight, which follows rates and weights', () => {
    const pairs = [
      { rates: list([0, 1], [2, 3]), weights: list([0, 30]) },
      { rates: list([0, 5]), weights: list([0, 10], [1, 30]) },
    ];
    expect(weighted(pairs)).toEqual(list([0, 2], [1, 3], [2, 4]));
    expect(weighted([{ rates: list([0, 1]), weights: list([0, 0]) }])).toEqual([]);
  });
});

describe('liquidations by side', () => {
  const bar = (minute: number): Bar =>
    ({ openTs: minute * MINUTE_MS, closeTs: (minute + 1) * MINUTE_MS - 1 }) as unknown as Bar;
  const event = (ts: number, position: 'long' | 'short', notionalUsd: number) =>
    ({ ts, position, notionalUsd, price: 1, size: 1, venue: 'okx', inferred: false }) as const;

  it('sums longs below zero and shorts above, bar by bar, and knows nothing before the first', () => {
    const known = {
      fromMs: 2 * MINUTE_MS,
      isCut: false,
      events: [
        event(2 * MINUTE_MS, 'long', 5),
        event(2 * MINUTE_MS + 1, 'long', 6),
        event(3 * MINUTE_MS - 1, 'short', 7),
        event(4 * MINUTE_MS, 'short', 9),
        event(6 * MINUTE_MS, 'long', 1),
      ],
    };
    const run = liquidationSides('', () => known).run();
    expect(run.close(bar(1))).toEqual([]);
    expect(run.close(bar(2))).toEqual([-11, 7]);
    // The market had no trade in the next two minutes.
    expect(run.peek(bar(5))).toEqual([0, 9]);
    expect(run.close(bar(5))).toEqual([0, 9]);
    expect(run.close(bar(6))).toEqual([-1, 0]);
  });

  it('shows no part of a bar: where older ones were not read, from the first whole bar on', () => {
    const events = [event(2 * MINUTE_MS + 500, 'long', 5), event(3 * MINUTE_MS, 'long', 6)];
    const closed = (isCut: boolean) => {
      const run = liquidationSides('', () => ({ fromMs: 2 * MINUTE_MS + 500, isCut, events })).run();
      return [1, 2, 3].map((minute) => run.close(bar(minute)));
    };
    expect(closed(true)).toEqual([[], [], [-6, 0]]);
    expect(closed(false)).toEqual([[], [-5, 0], [-6, 0]]);
  });

  it('has each event once, whether it was read, received or both', () => {
    const read = [event(3, 'long', 1), event(1, 'long', 1)];
    const received = [event(3, 'long', 1), event(4, 'short', 2)];
    const joined = joinEvents(read, received);
    expect(joined.map(({ ts }) => ts)).toEqual([1, 3, 4]);
    // Another late one, between those that were received.
    const later = [...received, event(2, 'short', 3), event(3, 'short', 7)];
    expect(withReceived(joined, later).map(({ ts }) => ts)).toEqual([1, 2, 3, 4]);
    expect(withReceived(joined, received)).toBe(joined);
  });
});

describe('a pane by venue', () => {
  it('says why there is nothing in it', () => {
    const source = { topic: {} as Topic, freshness: { state: 'live' }, isThere: true } as Source;
    const failing = { ...source, problem: 'The service cannot be reached.' } as Source;
    const limited = { ...source, freshness: { state: 'limited' } } as Source;
    expect(stateText([source], true, undefined)).toBe('');
    expect(stateText([source], false, 'nothing')).toBe(' · loading…');
    expect(stateText([source], true, 'nothing')).toBe(' · nothing');
    expect(stateText([source, failing], true, undefined)).toBe(' · The service cannot be reached.');
    expect(stateText([limited], false, undefined)).toContain('request limit');
    expect(stateText([{ ...failing, topic: undefined }], true, undefined)).toBe('');
  });

  it('orders venues as elsewhere, draws spot venues dashed, and always has a line', () => {
    expect(venueOrder(['coinbase', 'okx', 'hyperliquid'])).toEqual(['hyperliquid', 'okx', 'coinbase']);
    expect(venueLines(['okx', 'coinbase']).map(({ isDashed }) => isDashed)).toEqual([false, true]);
    expect(venueLines([])).toHaveLength(1);
  });
});
