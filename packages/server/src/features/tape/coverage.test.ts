import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Gap } from './gap-ledger.ts';
import { coverageOf } from './coverage.ts';

function gap(from: number, to: number, state: Gap['state']): Gap {
  return { coin: 'BTC', from, to, state, reason: 'test' };
}

it('cuts a range at the edges of spans and gaps', () => {
  const spans = [
    { from: 10, to: 20 },
    { from: 30, to: 50 },
  ];
  const gaps = [gap(20, 25, 'missing'), gap(25, 30, 'refilled'), gap(40, 42, 'partial')];
  expect(coverageOf({ from: 0, to: 60, spans, gaps })).toEqual([
    { from: 0, to: 10, state: 'missing' },
    { from: 10, to: 20, state: 'complete' },
    { from: 20, to: 25, state: 'missing' },
    { from: 25, to: 30, state: 'refilled' },
    { from: 30, to: 40, state: 'complete' },
    { from: 40, to: 42, state: 'partial' },
    { from: 42, to: 50, state: 'complete' },
    { from: 50, to: 60, state: 'missing' },
  ]);
});

const stretch = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 15 }));

it('leaves no gap, no overlap and no two neighbours alike, and agrees with each millisecond computed alone', () => {
  fc.assert(
    fc.property(
      fc.array(stretch, { maxLength: 5 }),
      fc.array(fc.tuple(stretch, fc.constantFrom<Gap['state']>('missing', 'partial', 'refilled')), {
        maxLength: 5,
      }),
      stretch,
      (spanRows, gapRows, [from, length]) => {
        const to = from + length;
        const spans = spanRows.map(([a, n]) => ({ from: a, to: a + n }));
        const gaps = gapRows.map(([[a, n], state]) => gap(a, a + n, state));
        const stretches = coverageOf({ from, to, spans, gaps });
        expect(stretches[0]?.from).toBe(from);
        expect(stretches.at(-1)?.to).toBe(to);
        stretches.forEach((one, i) => {
          if (i > 0)
            expect([one.from, one.state === stretches[i - 1]?.state]).toEqual([stretches[i - 1]?.to, false]);
          for (let ms = one.from; ms < one.to; ms += 1) {
            const reported = gaps.filter((g) => g.from <= ms && g.to > ms).map((g) => g.state);
            const isUp = spans.some((s) => s.from <= ms && s.to > ms);
            const worst = (['missing', 'partial', 'refilled'] as const).find((state) =>
              reported.includes(state),
            );
            expect(one.state).toBe(worst ?? (isUp ? 'complete' : 'missing'));
          }
        });
      },
    ),
  );
});

it('cuts a week of ten thousand gaps without blocking the event loop', () => {
  const gaps = Array.from({ length: 10_000 }, (_, i) => gap(i * 60_000, i * 60_000 + 500, 'partial'));
  const before = process.cpuUsage();
  const stretches = coverageOf({ from: 0, to: 600_000_000, spans: [{ from: 0, to: 600_000_000 }], gaps });
  expect(stretches).toHaveLength(20_000);
  // Processor time: another program may take the rest.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
});
