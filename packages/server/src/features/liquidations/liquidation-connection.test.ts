import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import { expect, it } from 'vitest';
import { disconnectedMs, isConnectedThroughout, type VenueConnection } from './liquidation-connection.ts';

const NOW_MS = 1_763_164_800_000;

/** Connected between the given numbers of minutes ago. */
function connection(isConnected: boolean, ...spans: readonly (readonly [number, number])[]): VenueConnection {
  return {
    venue: 'okx',
    isConnected,
    spans: spans.map(([from, to]) => ({
      venue: 'okx',
      from: NOW_MS - from * MINUTE_MS,
      to: NOW_MS - to * MINUTE_MS,
    })),
  };
}

it.each([
  ['all the time', connection(true, [2_000, 0]), 0, true],
  ['all but half a minute', connection(true, [2_000, 30], [29.5, 0]), 0, true],
  ['not for ten minutes', connection(true, [2_000, 30], [20, 0]), 10, false],
  ['since an hour', connection(true, [60, 0]), 0, false],
  ['until a moment ago', connection(false, [2_000, 0]), 0, false],
  ['twice at once', connection(true, [2_000, 100], [1_000, 90], [90, 0]), 0, true],
  ['never', connection(false), 0, false],
])('of a venue that was connected %s', (_name, one, missingMinutes, isWhole) => {
  expect(disconnectedMs(one, NOW_MS)).toBe(missingMinutes * MINUTE_MS);
  expect(isConnectedThroughout(one, NOW_MS)).toBe(isWhole);
});

it('does not count what lies before the window', () => {
  const one = connection(true, [1_600, 1_500], [1_440, 0]);
  expect(isConnectedThroughout(one, NOW_MS)).toBe(true);
  expect(isConnectedThroughout(one, NOW_MS - DAY_MS / 24)).toBe(false);
});
