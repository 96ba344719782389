import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@crosstape/core';
import { startSimulator } from '@crosstape/simulator';
import { allPublishers, primaryVenue } from '@crosstape/venues';
import { expect, it, onTestFinished, vi } from 'vitest';
import { configuredPublishers } from './roles/configured-publishers.ts';
import { readSettings } from './settings/read-settings.ts';
import { chooseUpstream, settingsFor, type Upstream, type UpstreamOptions } from './upstream.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function chosen(
  variables: Readonly<Record<string, string>>,
  more: Pick<UpstreamOptions, 'clock' | 'signal'> = {},
): Promise<Upstream> {
  const { settings } = readSettings([], { UPSTREAM: 'sim', ...variables }, allPublishers);
  const upstream = await chooseUpstream({
    settings,
    primary: primaryVenue,
    isProduction: false,
    log,
    ...more,
  });
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

it('reads the sources and coins that a simulator elsewhere has, and no others', async () => {
  const clock = new ManualClock(0);
  const sources = ['hyperliquid', 'okx'];
  const simulator = await startSimulator({ port: 0, seed: 3, clock, sources, coins: ['BTC'] });
  onTestFinished(() => simulator.close());
  const upstream = await chosen({ SIM_URL: simulator.url });
  const { settings } = readSettings([], {}, allPublishers);
  const read = configuredPublishers(settingsFor(upstream, settings));
  expect(read.map(({ id }) => id)).toEqual(sources);
  expect(upstream.market?.coins).toEqual(['BTC']);
  const builtIn = await chosen({});
  expect(configuredPublishers(settingsFor(builtIn, settings))).toHaveLength(allPublishers.length);
});

it('is of everyday size by default', async () => {
  expect(await chosen({})).toMatchObject({ tenant: 'sim/1', market: { seed: 1, rate: 1, size: 'everyday' } });
});

/** A simulator that answers when the test says so. */
async function slowSimulator() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => void waiting.push(response)).listen(0, '127.0.0.1');
  onTestFinished(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const clock = new ManualClock(0);
  const stopping = new AbortController();
  const { port } = server.address() as AddressInfo;
  const choosing = chosen({ SIM_URL: `http://127.0.0.1:${port}` }, { clock, signal: stopping.signal });
  await vi.waitUntil(() => waiting.length === 1);
  const answer = (): void => void waiting[0]?.end(JSON.stringify({ seed: 9, rate: 2, size: 'everyday' }));
  return { clock, stopping, choosing, answer };
}

it('waits for a simulator that a busy machine slows down', async () => {
  const { clock, choosing, answer } = await slowSimulator();
  clock.advance(50_000);
  answer();
  expect(await choosing).toMatchObject({ tenant: 'sim/9' });
});

it('fails when the simulator does not answer within a minute', async () => {
  const { clock, choosing } = await slowSimulator();
  clock.advance(60_000);
  await expect(choosing).rejects.toThrow(/no simulator answers at .*: no answer within 60 s/);
});

it('stops waiting for a simulator when the start is ended', async () => {
  const { stopping, choosing } = await slowSimulator();
  stopping.abort(new Error('SIGTERM came'));
  await expect(choosing).rejects.toThrow('SIGTERM came');
});
