import type { Health } from '@crosstape/client';
import { expect, it } from 'vitest';
import { isGrave, outagesOf } from './outages.ts';

const RECEIVED_MS = 1_790_000_000_000;
type Failing = NonNullable<Health['failing']>[number];
const frozen: Failing = {
  source: 'hyperliquid',
  name: 'Hyperliquid',
  status: 'down',
  sinceTs: 1,
  forMs: 42_000,
  error: 'HTTP 500.',
  feeds: ['hyperliquid:trades', 'hyperliquid:metaAndAssetCtxs'],
};

it('names what is down, since when by the clock of this machine, and why', () => {
  expect(outagesOf({ failing: [frozen] }, RECEIVED_MS)).toEqual([
    {
      name: 'Hyperliquid',
      word: 'down',
      sinceMs: RECEIVED_MS - 42_000,
      details: 'hyperliquid:trades, hyperliquid:metaAndAssetCtxs: HTTP 500.',
    },
  ]);
});

it('says when only a part of a source fails, and leaves out what began a moment ago', () => {
  const limited: Failing = { ...frozen, name: 'OKX', status: 'limited', partial: true };
  const moment: Failing = { ...frozen, name: 'Gate', forMs: 4_999 };
  expect(outagesOf({ failing: [limited, moment] }, RECEIVED_MS)).toMatchObject([
    { name: 'OKX', word: 'partly limited' },
  ]);
});

it('begins with the record, where that cannot be written', () => {
  const recording = { status: 'failing', unwritten: 1, lost: 0, error: 'disk full', sinceMs: 5 } as const;
  expect(outagesOf({ failing: [frozen], recording }, RECEIVED_MS)).toMatchObject([
    { name: 'Trade recording', word: 'failing', sinceMs: 5, details: 'disk full' },
    { name: 'Hyperliquid' },
  ]);
  expect(outagesOf({ recording: { status: 'ok', unwritten: 0, lost: 0 } }, RECEIVED_MS)).toEqual([]);
});

it('is grave where the service is not ready, or cannot record', () => {
  const readiness = (ok: boolean) => ({ status: 'any', checks: [{ name: 'hyperliquid trades', ok }] });
  const recording = { status: 'failing', unwritten: 1, lost: 0 } as const;
  expect(isGrave({}, readiness(true))).toBe(false);
  expect(isGrave({}, readiness(false))).toBe(true);
  expect(isGrave({ recording }, readiness(true))).toBe(true);
});
