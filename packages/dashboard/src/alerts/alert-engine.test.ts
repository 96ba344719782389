import { ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import type { Port } from '../live/hub.ts';
import type { HubReport, Order, Update } from '../live/topic.ts';
import { AlertEngine, type AlertPort } from './alert-engine.ts';
import type { AlertRule } from './alert-rule.ts';

const START_MS = 1_790_000_000_000;

function price(id: string, side: AlertRule['side'], value: number): AlertRule {
  return { id, kind: 'price', subject: 'BTC', side, value, minutes: 0, isOn: true };
}

/** An engine on a hub that only records its requests. */
function engineOf() {
  const clock = new ManualClock(START_MS);
  const orders: Order[] = [];
  const engine = new AlertEngine({ take: (_, order) => void orders.push(order) }, clock);
  const port: Port = engine;
  const reports: HubReport[] = [];
  const tab: AlertPort = { postMessage: (report) => void reports.push(report) };
  engine.see(tab);
  const follows = () => orders.flatMap((order) => (order.op === 'follow' ? [order] : []));
  /** Sends items to the rule that followed last, or to one of its topics, and has it checked. */
  const send = (items: readonly unknown[], more: Partial<Update> = {}, back = 1): void => {
    const { id } = follows().at(-back)!;
    port.postMessage({ id, update: { items, atMs: clock.now(), state: 'up', ...more } });
    clock.advance(1_000);
  };
  const fired = () => reports.flatMap((report) => ('fired' in report ? [report.fired.why] : []));
  return { clock, engine, tab, orders, reports, follows, send, fired };
}

it('fires when a condition becomes true, not while it stays so, and again after it was false', () => {
  const { clock, engine, send, fired } = engineOf();
  engine.set([price('a', 'above', 100_000)], {});
  send([{ mark: 99_000 }]);
  expect(fired()).toEqual([]);
  send([{ mark: 100_500 }]);
  send([{ mark: 101_000 }]);
  expect(fired()).toEqual(['$100,500']);
  send([{ mark: 99_000 }]);
  // It rests for half a minute, and then fires if the condition is still met.
  send([{ mark: 102_000 }]);
  expect(fired()).toHaveLength(1);
  clock.advance(30_000);
  expect(fired()).toEqual(['$100,500', '$102,000']);
});

it('does not fire for a condition that is true when the rule is made, and reports that it is true', () => {
  const { engine, reports, send, fired } = engineOf();
  engine.set([price('a', 'above', 10_000)], {});
  send([{ mark: 99_000 }]);
  expect(fired()).toEqual([]);
  expect(reports.at(-1)).toEqual({ alertStates: [{ id: 'a', text: '$99,000.0', isMet: true }] });
  send([{ mark: 9_000 }]);
  send([{ mark: 11_000 }]);
  expect(fired()).toEqual(['$11,000.0']);
});

it('restores rule states after a restart: fires only for what has become true since', () => {
  const { engine, follows, send, fired } = engineOf();
  engine.set([price('a', 'above', 10_000), price('b', 'above', 10_001)], { a: true, b: false });
  expect(follows()).toHaveLength(4);
  send([{ mark: 99_000 }], {}, 3);
  expect(fired()).toEqual([]);
  send([{ mark: 99_001 }]);
  expect(fired()).toEqual(['$99,001.0']);
});

it('does not take a sum over part of its window, after a start, for the end of a condition', () => {
  const { clock, engine, send, fired } = engineOf();
  const rule = { ...price('a', 'above', 1_000), kind: 'liquidations', minutes: 2 } as const;
  engine.set([rule], { a: true });
  send([{ ts: START_MS, notionalUsd: 600 }], { isWhole: true });
  send([{ ts: clock.now(), notionalUsd: 600 }]);
  expect(fired()).toEqual([]);
  // The window is full, and empty: from now on the condition can become true again.
  clock.advance(180_000);
  send([{ ts: clock.now(), notionalUsd: 1_200 }]);
  expect(fired()).toEqual(['$1.2K of 1 liquidations in 2 min']);
});

it('fires for a tab: without any it waits for one', () => {
  const { clock, engine, tab, send, fired } = engineOf();
  engine.set([price('a', 'above', 10)], { a: false });
  engine.forget(tab);
  send([{ mark: 11 }]);
  engine.see(tab);
  clock.advance(1_000);
  expect(fired()).toEqual(['$11.000']);
});

it('follows what a rule needs once, and leaves it with the rule', () => {
  const { engine, orders, follows } = engineOf();
  const [a, b] = [price('a', 'above', 1), price('b', 'below', 2)];
  engine.set([a, b], {});
  engine.set([b], {});
  engine.set([b, { ...a, isOn: false }], {});
  expect(follows()).toHaveLength(4);
  const left = orders.flatMap((order) => (order.op === 'leave' ? [order.id] : []));
  expect(left).toEqual(
    follows()
      .slice(0, 2)
      .map(({ id }) => id),
  );
});

it('compares the price of a coin with its trades, and until there is one with its mark price', () => {
  const { engine, follows, send, fired } = engineOf();
  engine.set([price('a', 'below', 100)], { a: false });
  expect(follows().map(({ topic }) => topic)).toMatchObject([
    { channel: 'trades', symbol: 'BTC', params: {} },
    { channel: 'markPrice', symbol: 'BTC' },
  ]);
  const [mark, trades] = [1, 2];
  send([{ mark: 101 }], {}, mark);
  send([{ price: 102 }], {}, trades);
  // It is of half a minute ago.
  send([{ mark: 99 }], {}, mark);
  expect(fired()).toEqual([]);
  send([{ price: 101 }, { price: 98 }], {}, trades);
  expect(fired()).toEqual(['$98.000']);
});

it('compares the price of a market with its trades, and of several with their newest candle', () => {
  const { engine, follows, send, fired } = engineOf();
  const of = (id: string, subject: string): AlertRule => ({ ...price(id, 'below', 100), subject });
  engine.set([of('a', 'binance:BTCUSDT')], { a: false });
  expect(follows().at(-1)?.topic).toMatchObject({ channel: 'trades', params: { market: 'binance:BTCUSDT' } });
  send([{ price: 105 }, { price: 99.5 }]);
  engine.set([of('b', 'perp:BTC')], { b: false });
  expect(follows().at(-1)?.topic).toMatchObject({ path: '/candles', query: { market: 'perp:BTC' } });
  send([{ data: [{ close: 98 }] }]);
  expect(fired()).toEqual(['99.500', '98.000']);
});

it('says why a rule cannot be checked', () => {
  const { engine, reports, send } = engineOf();
  engine.set([{ ...price('a', 'above', 1), subject: 'NOPE' }], {});
  send([], { state: 'down', problem: 'No coin NOPE.' });
  expect(reports.at(-1)).toEqual({ alertStates: [{ id: 'a', problem: 'No coin NOPE.' }] });
});

it('sums liquidations over the window, and forgets them after it', () => {
  const { clock, engine, reports, send, fired } = engineOf();
  const rule = { ...price('a', 'above', 1_000), kind: 'liquidations', minutes: 1 } as const;
  engine.set([rule], {});
  send([{ ts: START_MS, notionalUsd: 600 }]);
  clock.advance(50_000);
  send([{ ts: START_MS + 51_000, notionalUsd: 500 }]);
  expect(fired()).toEqual(['$1.1K of 2 liquidations in 1 min']);
  clock.advance(40_000);
  send([{ ts: clock.now(), notionalUsd: 400 }]);
  expect(fired()).toHaveLength(1);
  expect(reports.at(-1)).toEqual({
    alertStates: [{ id: 'a', text: '$900.0 of 2 liquidations in 1 min', isMet: false }],
  });
  const text = () => reports.flatMap((one) => ('alertStates' in one ? one.alertStates : [])).at(-1)?.text;
  clock.advance(120_000);
  expect(text()).toBe('$0 of 0 liquidations in 1 min');
  send(Array.from({ length: 1_016 }, () => ({ ts: clock.now(), notionalUsd: 0.5 })));
  expect(text()).toBe('$508.0 of 1,016 liquidations in 1 min');
});

it('announces each new whale, and none from before the rule', () => {
  const { engine, send, fired } = engineOf();
  engine.set([{ ...price('a', 'above', 50_000), kind: 'whale' }], {});
  const whale = (notionalUsd: number) => ({ event: 'whale', data: { side: 'buy', notionalUsd, price: 5 } });
  send([whale(90_000)], { isWhole: true });
  expect(fired()).toEqual([]);
  send([whale(60_000), whale(70_000)]);
  expect(fired()).toEqual(['buy of $70.0K at $5']);
});

it('compares open interest with what it was a window ago', () => {
  const { engine, send, fired } = engineOf();
  engine.set([{ ...price('a', 'below', -5), kind: 'oi', minutes: 30 }], { a: false });
  const points = [60, 40, 20].map((minutes) => ({ t: START_MS - minutes * 60_000, v: 200 }));
  send([{ data: { points } }]);
  send([{ ts: START_MS, oiContracts: 188 }], {}, 2);
  expect(fired()).toEqual(['−6.00% against 40 min before']);
});

it('compares funding on another venue, or the highest of all, and says where', () => {
  const { engine, follows, send, fired } = engineOf();
  const row = (venue: string, rate: number) => ({ venue, rate, periodHours: 8 });
  const answer = (rate: number) => ({ data: [row('okx', 0.0001), row('binance', rate)] });
  const rule = { ...price('a', 'above', 50), kind: 'funding', venue: 'any' } as const;
  engine.set([rule], { a: false });
  expect(follows().at(-1)?.topic).toMatchObject({ path: '/perps/funding' });
  send([answer(0.0002)]);
  send([answer(0.0005)]);
  expect(fired()).toEqual(['+54.8% a year on Binance']);
  engine.set([{ ...rule, venue: 'okx' }], {});
  expect(follows().at(-1)?.topic).toMatchObject({ query: { venues: ['okx'] } });
});

it('says why an indicator cannot be measured', async () => {
  const { clock, engine, reports, send } = engineOf();
  const indicator = { text: 'nope', line: 0, title: 'Nope', interval: '5m' } as const;
  engine.set([{ ...price('a', 'above', 70), kind: 'indicator', indicator }], {});
  send([], { open: null });
  await vi.waitFor(() => {
    clock.advance(1_000);
    expect(reports.at(-1)).toEqual({
      alertStates: [{ id: 'a', problem: 'This version does not have that indicator.' }],
    });
  });
});

it('fires for a source that has failed for long enough', () => {
  const { engine, send, fired } = engineOf();
  engine.set([{ ...price('a', 'above', 60), kind: 'feed', subject: 'OKX' }], {});
  const failing = (forMs: number) => [
    { source: 'okx', name: 'OKX', status: 'down', forMs, error: 'HTTP 500.' },
  ];
  send([{ health: { failing: failing(59_000) } }]);
  expect(fired()).toEqual([]);
  send([{ health: { failing: failing(61_000) } }]);
  expect(fired()).toEqual(['OKX down for 61 s: HTTP 500.']);
});
