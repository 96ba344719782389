import { existsSync, readFileSync } from 'node:fs';
import { HOUR_MS } from '@crosstape/core';
import { expect, it } from 'vitest';
import { Malformed, type SampleKind, venues } from './index.ts';

const TO_MS = 1_703_088_000_000;
const FROM_MS = TO_MS - 24 * HOUR_MS;

function bybit(list: readonly unknown[]): unknown {
  return { retCode: 0, retMsg: 'OK', result: { category: 'linear', list }, retExtInfo: {}, time: TO_MS };
}

/** One line of a venue's `fixtures/histories.jsonl`: an answer of the documents, with times of the span. */
interface Line {
  readonly name?: string;
  readonly kind: SampleKind;
  readonly symbol: string;
  readonly path: string;
  readonly body: unknown;
  readonly samples: readonly (readonly [hour: number, value: number])[];
}

function linesOf(venue: string): readonly Line[] {
  const path = new URL(`./${venue}/fixtures/histories.jsonl`, import.meta.url);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as Line);
}

it.each(venues)('has an answer for each history that $id publishes', ({ id, connector }) => {
  const published = (connector?.histories ?? []).map(({ kind }) => kind);
  expect(linesOf(id).map(({ kind }) => kind)).toEqual(expect.arrayContaining(published));
  expect(linesOf(id)).toHaveLength(published.length);
});

const LINES = venues.flatMap(({ id, connector }) =>
  linesOf(id).map((line) => ({ venue: id, connector, ...line })),
);

it.each(LINES)('reads past $kind of $venue', ({ connector, ...line }) => {
  const source = connector?.histories?.find(({ kind }) => kind === line.kind);
  if (!source) throw new Error('no such history');
  const span = { market: { symbol: line.symbol }, fromMs: FROM_MS, toMs: TO_MS };
  expect(source.request(span).path).toBe(line.path);
  const page = source.parse(line.body, span);
  expect(page).toMatchObject({ fromMs: FROM_MS });
  expect(page.samples.map(({ ts, value }) => [Math.floor((ts - FROM_MS) / HOUR_MS), value])).toEqual(
    line.samples,
  );
  // Rows outside the span, and such that make no sense, are left out.
  const later = { ...span, fromMs: TO_MS - HOUR_MS };
  expect(source.parse(line.body, later).samples).toEqual([]);
  expect(() => source.parse({ code: 1 }, span)).toThrow();
});

it.each([
  ['binance', [{ timestamp: TO_MS - HOUR_MS, longAccount: '45.58' }]],
  ['bybit', { retCode: 0, result: { list: [{ timestamp: String(TO_MS - HOUR_MS), buyRatio: '-0.1' }] } }],
  ['okx', { code: '0', data: [[String(TO_MS - HOUR_MS), '-1']] }],
])('refuses a share of %s that is none', (venue, body) => {
  const longs = venues
    .find(({ id }) => id === venue)
    ?.connector?.histories?.find(({ kind }) => kind === 'globalLongs');
  const span = { market: { symbol: 'BTCUSDT' }, fromMs: TO_MS - HOUR_MS, toMs: TO_MS };
  expect(() => longs?.parse(body, span)).toThrow(Malformed);
});

it('knows from a full answer that there is more before it', () => {
  const funding = venues
    .find(({ id }) => id === 'bybit')
    ?.connector?.histories?.find(({ kind }) => kind === 'funding');
  const rows = Array.from({ length: 200 }, (_, i) => ({
    symbol: 'BTCUSDT',
    fundingRate: '0.0001',
    fundingRateTimestamp: String(TO_MS - (i + 1) * HOUR_MS),
  }));
  const span = { market: { symbol: 'BTCUSDT' }, fromMs: TO_MS - 1600 * HOUR_MS, toMs: TO_MS };
  expect(funding?.parse(bybit(rows), span).fromMs).toBe(TO_MS - 200 * HOUR_MS);
  expect(funding?.parse(bybit(rows.slice(1)), span).fromMs).toBe(span.fromMs);
});
