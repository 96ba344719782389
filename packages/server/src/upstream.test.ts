import { allPublishers, primaryVenue } from '@crosstape/venues';
import { expect, it, onTestFinished } from 'vitest';
import { readSettings } from './settings/read-settings.ts';
import { chooseUpstream, type Upstream } from './upstream.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function chosen(variables: Readonly<Record<string, string>>): Promise<Upstream> {
  const { settings } = readSettings([], { UPSTREAM: 'sim', ...variables }, allPublishers);
  const upstream = await chooseUpstream({ settings, primary: primaryVenue, isProduction: false, log });
  onTestFinished(() => upstream.stop());
  return upstream;
}

it('runs a built-in simulator of the size that is set, and keeps its record apart', async () => {
  const real = await chosen({ SIM_SIZE: 'real', SIM_SEED: '5' });
  expect(real).toMatchObject({ tenant: 'sim/5-real', market: { seed: 5, rate: 1, size: 'real' } });
  const url = real.simulator as string;
  expect(await (await fetch(`${url}/sim`)).json()).toMatchObject({ size: 'real' });
  // The size of a simulator elsewhere is its own, whatever is set here.
  const elsewhere = await chosen({ SIM_URL: url, SIM_SIZE: 'everyday' });
  expect(elsewhere).toMatchObject({ tenant: 'sim/5-real', market: { size: 'real' } });
});

it('is of everyday size by default', async () => {
  expect(await chosen({})).toMatchObject({ tenant: 'sim/1', market: { seed: 1, rate: 1, size: 'everyday' } });
});
