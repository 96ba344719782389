import { expect, test } from 'vitest';
import { StallCheck } from './stall-check.ts';
import { trade } from '../features/tape/testing/tape-setting.ts';

const at = (...times: readonly number[]) => times.map((venueTs) => trade({ venueTs, tid: venueTs }));

/** A socket that received a trade at 100 s and then nothing for 20 s, and the conclusions from later trades. */
function stalled(): { readonly check: StallCheck; readonly quiet: number[] } {
  const quiet: number[] = [];
  const check = new StallCheck({ onQuiet: (silentMs) => quiet.push(silentMs) });
  check.receive(at(100_000), false, 100_000);
  check.stalled(20_000, 120_000);
  return { check, quiet };
}

test('back-fills without a trade from the silence prove that the market was quiet', () => {
  const { check, quiet } = stalled();
  check.receive(at(98_000, 100_000, 121_000), true, 122_000);
  check.receive(at(123_000), false, 123_000);
  expect(quiet).toEqual([]);
  check.receive(at(127_000), false, 127_000);
  expect(quiet).toEqual([20_000]);
  check.receive(at(140_000), false, 140_000);
  expect(quiet).toEqual([20_000]);
});

test('a quiet market is also recognised when the next connection falls silent as well', () => {
  const { check, quiet } = stalled();
  check.receive(at(100_000), true, 122_000);
  check.stalled(10_000, 132_000);
  expect(quiet).toEqual([20_000]);
});

test('one trade from the silence, of whatever coin, proves the stall', () => {
  const { check, quiet } = stalled();
  check.receive(at(98_000, 100_000), true, 122_000);
  check.receive(at(99_000, 110_000), true, 122_100);
  check.receive(at(140_000), false, 140_000);
  expect(quiet).toEqual([]);
});

test('a back-fill that does not reach back proves nothing', () => {
  const { check, quiet } = stalled();
  check.receive(at(121_500), true, 122_000);
  check.receive(at(140_000), false, 140_000);
  expect(quiet).toEqual([]);
});
