import { allPublishers } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { readSettings } from '../settings/read-settings.ts';
import { type Connectors, prepareConnectors } from './connectors.ts';

const RARE = ['farside', 'coingecko', 'bitcoindata'];

async function prepare(args: readonly string[], only?: readonly string[]): Promise<Connectors> {
  const { settings } = readSettings(args, {}, allPublishers);
  const connectors = await prepareConnectors({ settings, only });
  await connectors.stop();
  return connectors;
}

/** Names of the requested resources of those sources that allow few requests. */
const rareOf = ({ publishers }: Connectors): readonly string[] =>
  publishers
    .filter(({ id }) => RARE.includes(id))
    .flatMap(({ id, connector }) => connector.resources.map(({ name }) => `${id}:${name}`));

it('requests sources that allow few requests only when they are named', async () => {
  const live = ['--upstream', 'live'];
  const unnamed = await prepare(live);
  expect(rareOf(unnamed)).toEqual([]);
  expect(unnamed.notRequested).toHaveLength(9);
  expect(unnamed.notRequested).toContain('bitcoindata:nupl');
  // Without its list of contracts nothing else of a venue can be requested.
  const mexc = unnamed.publishers.find(({ id }) => id === 'mexc');
  expect(mexc?.connector.resources.map(({ name }) => name)).toContain('detail');
  const named = await prepare(live, ['farside']);
  expect([rareOf(named), named.notRequested]).toEqual([
    ['farside:bitcoin-etf-flows', 'farside:ethereum-etf-flows'],
    [],
  ]);
});

it('requests a file in their place', async () => {
  const { notRequested } = await prepare(['--upstream', 'live', '--etf-source', '/tmp/{asset}.html']);
  expect(notRequested.filter((source) => source.startsWith('farside'))).toEqual([]);
});
