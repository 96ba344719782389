import { allPublishers } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { readSettings } from './read-settings.ts';
import { hasPrimaryVenue, readVenues, venuesProblem } from './venues-setting.ts';

const read = (...args: string[]) => readSettings(args, {}, allPublishers).settings;

it.each([
  ['bybit,okx', ['bybit', 'okx']],
  // The order of the list and of the venues' names does not change the group.
  [' OKX , bybit,bybit', ['bybit', 'okx']],
  ['coinbase,binance-spot', ['coinbase-spot', 'binance-spot']],
  ['hl', ['hyperliquid']],
])('reads %j', (text, venues) => {
  expect(readVenues(read('--venues', text))).toEqual(venues);
});

it.each(['', ',', 'bybit,', 'bybit,nasdaq', 'deribit', 'bybit okx'])(
  'refuses %j, and says which there are',
  (text) => {
    expect(() => read('--venues', text)).toThrow(
      /--venues must be venues separated by commas, of hyperliquid, bybit, okx, .*coinbase-spot/,
    );
  },
);

it('is of every venue unless it is given', () => {
  expect(readVenues(read())).toBeUndefined();
  expect(hasPrimaryVenue(read())).toBe(true);
  expect(hasPrimaryVenue(read('--venues', 'hyperliquid,okx'))).toBe(true);
  expect(hasPrimaryVenue(read('--venues', 'okx'))).toBe(false);
});

it('is for ingesters on a Redis that record something', () => {
  const redis = ['--redis', 'redis://localhost'];
  const problem = (...args: string[]) => venuesProblem(read(...args));
  expect(problem('--role', 'all')).toBeUndefined();
  expect(problem('--venues', 'okx')).toContain('give --redis');
  expect(problem('--venues', 'okx', ...redis)).toContain('this process is all');
  expect(problem('--venues', 'okx', ...redis, '--role', 'gateway')).toContain('this process is gateway');
  const ingest = [...redis, '--role', 'ingest'];
  expect(problem('--venues', 'okx', ...ingest)).toContain('would record nothing');
  expect(problem('--venues', 'okx', ...ingest, '--record-markets', 'top:5')).toBeUndefined();
  expect(problem('--venues', 'hyperliquid', ...ingest)).toBeUndefined();
});
