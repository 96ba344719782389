import { expect, it } from 'vitest';
import {
  auditStateTopic,
  backfillTopic,
  bookTopic,
  candlesTopic,
  clockTopic,
  gapTopic,
  seedingTopic,
  spotTradeTopic,
  tradeTopic,
  venuePrintTopic,
} from '../topics.ts';
import { isOfMarkets, isOfVenues, joinOf } from './joined-topics.ts';

const join = ({ name }: { readonly name: string }, ...messages: unknown[]): unknown =>
  joinOf(name)?.(messages);

it('joins the reports of each group', () => {
  expect(join(candlesTopic, { isCaughtUp: true }, { isCaughtUp: false })).toEqual({ isCaughtUp: false });
  const histories = { isDone: true, seriesLeft: 0 };
  const done = { isDone: true, marketsLeft: 0, requests: 3, histories };
  const busy = { isDone: false, marketsLeft: 2, requests: 4, histories: { isDone: false, seriesLeft: 5 } };
  expect(join(backfillTopic, done, busy)).toEqual({
    isDone: false,
    marketsLeft: 2,
    requests: 7,
    histories: { isDone: false, seriesLeft: 5 },
  });
  const hour = (market: string, at: number) => ({ market, hour: at, diffPct: 1 });
  const one = { checkedAtMs: 10, nextAtMs: 90, counts: { gate: 'a' }, differing: [hour('gate:A', 1)] };
  const other = { checkedAtMs: 20, nextAtMs: 80, counts: { okx: 'b' }, differing: [hour('okx:A', 2)] };
  expect(join(auditStateTopic, one, other)).toEqual({
    checkedAtMs: 20,
    nextAtMs: 80,
    counts: { gate: 'a', okx: 'b' },
    differing: [hour('okx:A', 2), hour('gate:A', 1)],
  });
  // As many as one group alone would list.
  const many = (count: number) => Array.from({ length: count }, (_, at) => hour('gate:A', at));
  const [left, right] = [
    { ...one, differing: many(80) },
    { ...other, differing: many(80) },
  ];
  const { differing } = join(auditStateTopic, left, right) as typeof one;
  expect(differing).toHaveLength(100);
  expect(differing.at(-1)).toMatchObject({ hour: 30 });
  // One of them is comparing hours for the first time.
  const { nextAtMs: _, ...first } = other;
  expect(join(auditStateTopic, one, first)).not.toHaveProperty('nextAtMs');
});

it('knows what is of the markets of a venue, and what is one per service', () => {
  for (const topic of [tradeTopic, gapTopic, bookTopic]) {
    expect(isOfVenues(topic('okx:BTC-USDT-SWAP').name, ['okx'])).toBe(true);
    expect(isOfVenues(topic('okx-spot:BTC-USDT').name, ['okx'])).toBe(false);
    expect(isOfVenues(topic('BTC').name, ['okx'])).toBe(false);
    expect(isOfMarkets(topic('okx:BTC-USDT-SWAP').name)).toBe(true);
  }
  expect(isOfMarkets(venuePrintTopic.name)).toBe(true);
  expect(isOfVenues(spotTradeTopic('okx', 'BTC').name, ['okx'])).toBe(false);
  for (const { name } of [spotTradeTopic('okx', 'BTC'), clockTopic, seedingTopic])
    expect(isOfMarkets(name)).toBe(false);
});
