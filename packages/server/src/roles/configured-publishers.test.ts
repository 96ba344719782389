import { allPublishers, type Publisher } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { readSettings } from '../settings/read-settings.ts';
import { configuredPublishers, publishersOfGroup } from './configured-publishers.ts';

const settings = (...args: string[]) => readSettings(args, {}, allPublishers).settings;
const recording = (some: readonly Publisher[]): readonly string[] =>
  some.flatMap(({ id, connector }) => (connector?.marketTrades ? id : []));

/** The names of what is requested from each. */
const namesIn = (some: readonly Publisher[]) =>
  some.map(({ id, connector }) => {
    const { resources = [], lookups = [], feeds = [], histories = [] } = connector ?? {};
    const asked = [...resources, ...lookups, ...feeds, ...histories];
    return [id, ...asked.map(({ name }) => name)];
  });

it('shares out the markets: each venue is recorded by one group, and listed wherever it is recorded', () => {
  const whole = configuredPublishers(settings());
  expect(namesIn(publishersOfGroup(settings()))).toEqual(namesIn(whole));
  const names = recording(whole);
  expect(names.length).toBe(13);
  const primary = publishersOfGroup(settings('--venues', 'hyperliquid,binance'));
  const rest = names.filter((name) => name !== 'binance').join(',');
  const others = publishersOfGroup(settings('--venues', rest));
  expect(recording(primary)).toEqual(['binance']);
  expect(recording(others)).toEqual(names.filter((name) => name !== 'binance'));
  // The primary group reads everything else of every venue.
  expect(namesIn(primary)).toEqual(namesIn(whole));
  for (const [i, { id, connector }] of primary.entries()) {
    const before = whole[i]?.connector;
    const isAnothers = before?.marketTrades !== undefined && id !== 'binance';
    expect([connector?.candles, connector?.marketBooks], id).toEqual(
      isAnothers ? [undefined, undefined] : [before?.candles, before?.marketBooks],
    );
  }
  // The other one reads only what lists its markets.
  for (const { id, connector } of others) {
    const gives = connector?.resources.flatMap((resource) => resource.gives) ?? [];
    expect(gives.includes('instruments') || gives.includes('spotTickers'), id).toBe(true);
    expect([connector?.feeds, connector?.lookups, connector?.histories], id).toEqual([[], [], []]);
  }
});
