import { expect, it } from 'vitest';
import { liquidations } from './liquidations.ts';

const ARGS_LENGTH_MAX = 21_000;

it('fills a socket with no more characters of topics than the venue takes, even of the longest names', () => {
  const { args } = JSON.parse(liquidations.subscribe(['1000000BABYDOGEUSDT'])) as { args: readonly string[] };
  const perSocket = liquidations.topicsPerSocket ?? Number.POSITIVE_INFINITY;
  expect(args.join().length * perSocket).toBeLessThan(ARGS_LENGTH_MAX);
});
