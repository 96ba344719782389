import { afterEach, describe, expect, it } from 'vitest';
import type { SourceRef } from '../health/feed-state.ts';
import { gatewayChannels } from '../features/channels.ts';
import type { GatewayChannel } from './gateway-channel.ts';
import { GatewayService, START_MS } from './testing/gateway-service.ts';
import type { Frame, WsClient } from './testing/ws-client.ts';

const primaryVenue = 'hyperliquid';
let service: GatewayService;
afterEach(() => service.close());

const sourcesOf = ({ sources }: GatewayChannel): readonly SourceRef[] =>
  sources({ symbol: 'BTC' }, { primaryVenue, bus: service.bus }).flat();
const subscribe = ({ name: channel }: GatewayChannel, more = {}) => ({
  op: 'subscribe',
  id: channel,
  channel,
  symbol: 'btc',
  ...more,
});
const statuses = (client: WsClient): readonly Frame[] => client.of('status');

/** Resolves when the client has received everything sent so far. */
async function settled(client: WsClient): Promise<void> {
  await client.ask({ op: 'auth', id: `settled-${client.frames.length}` });
}

async function joined(channel: GatewayChannel, more = {}): Promise<WsClient> {
  const client = await service.connect();
  expect(await client.ask(subscribe(channel, more))).toMatchObject({ type: 'ack' });
  await settled(client);
  return client;
}

describe.each(gatewayChannels.map((channel) => [channel.name, channel] as const))('%s', (name, channel) => {
  it('sends a status frame when its sources go stale, go down and recover, and none while it is live', async () => {
    service = await GatewayService.start({ hasTape: true });
    const client = await joined(channel);
    expect(statuses(client)).toEqual([]);
    const sources = sourcesOf(channel);
    expect(sources.length).toBeGreaterThan(0);

    service.clock.advance(1_000);
    for (const source of sources) service.healths.turn(source, 'stale', 'No data for 7 s.');
    await client.until(() => statuses(client).at(-1)?.partial === undefined && statuses(client).length > 0);
    expect(statuses(client).at(-1)).toMatchObject({
      type: 'status',
      channel: name,
      symbol: 'BTC',
      state: 'stale',
      sinceTs: START_MS + 1_000,
      reason: expect.stringContaining('No data for 7 s.'),
    });

    service.clock.advance(1_000);
    for (const source of sources) service.healths.turn(source, 'down', 'Not reachable.');
    await client.until(() => statuses(client).at(-1)?.state === 'down');
    expect(statuses(client).at(-1)).toMatchObject({ channel: name, sinceTs: START_MS + 1_000 });

    const late = await joined(channel);
    expect(statuses(late)).toMatchObject([{ channel: name, symbol: 'BTC', state: 'down' }]);
    expect(late.frames.findIndex(({ type }) => type === 'status')).toBe(1);

    service.clock.advance(1_000);
    for (const source of sources) service.healths.turn(source, 'ok');
    for (const one of [client, late]) {
      await one.until(() => statuses(one).at(-1)?.state === 'live');
      expect(statuses(one).at(-1)).toMatchObject({ channel: name, sinceTs: START_MS + 3_000 });
    }
    const after = await joined(channel);
    expect(statuses(after)).toEqual([]);
  });

  it('is not live while any one of its sources fails', async () => {
    service = await GatewayService.start({ hasTape: true });
    for (const source of sourcesOf(channel)) {
      service.healths.turn(source, 'blocked', 'HTTP 403.');
      const client = await joined(channel);
      const [status] = statuses(client);
      expect(status?.state).not.toBe('live');
      expect(status?.reason).toContain(`${source.publisher} ${source.gives}: HTTP 403.`);
      service.healths.turn(source, 'ok');
      await client.until(() => statuses(client).at(-1)?.state === 'live');
      await client.end();
    }
  });
});

const channelNamed = (name: string): GatewayChannel => {
  const channel = gatewayChannels.find((one) => one.name === name);
  if (!channel) throw new Error(`there is no channel ${name}`);
  return channel;
};
const trades = channelNamed('trades');
const primaryTrades: SourceRef = { publisher: primaryVenue, gives: 'trades' };

it('sends the same frames in msgpack', async () => {
  service = await GatewayService.start();
  const client = await service.connect();
  await client.ask({ op: 'auth', id: 'me', format: 'msgpack' });
  await client.ask(subscribe(trades));
  service.healths.turn(primaryTrades, 'down', 'Not reachable.');
  await client.until(() => statuses(client).length === 1);
  expect(statuses(client)).toEqual([
    {
      type: 'status',
      channel: 'trades',
      symbol: 'BTC',
      state: 'down',
      sinceTs: START_MS,
      reason: 'hyperliquid trades: Not reachable.',
    },
  ]);
  expect(client.binaries.at(-1)).toBe(true);
});

it('names the topic of each frame where a socket follows several of a channel', async () => {
  service = await GatewayService.start({ hasTape: true });
  const client = await service.connect();
  for (const interval of ['1m', '5m']) {
    await client.ask({ ...subscribe(channelNamed('candles')), id: interval, interval });
  }
  service.healths.turn(primaryTrades, 'down');
  await client.until(() => statuses(client).length === 2);
  expect(statuses(client).map(({ interval }) => interval)).toEqual(['1m', '5m']);
});

it('sends no frame when only the reason changes, and the newest reason to new subscribers', async () => {
  service = await GatewayService.start();
  const client = await joined(trades);
  service.healths.turn(primaryTrades, 'stale', 'No data for 7 s.');
  service.healths.turn(primaryTrades, 'stale', 'No data for 60 s.');
  await client.until(() => statuses(client).length > 0);
  await settled(client);
  expect(statuses(client)).toHaveLength(1);
  expect(statuses(await joined(trades))[0]?.reason).toContain('No data for 60 s.');
});

it('sends data that was published before a change ahead of the status frame', async () => {
  service = await GatewayService.start();
  const client = await joined(trades);
  service.release(service.trade(), service.trade());
  service.healths.turn(primaryTrades, 'down');
  await client.until(() => statuses(client).length === 1);
  expect(client.frames.slice(-3).map(({ type }) => type)).toEqual(['data', 'data', 'status']);
});

it('is down before any health is known, and until then for books that are not connected yet', async () => {
  service = await GatewayService.start({ hasNoHealth: true });
  const client = await service.connect();
  const books = channelNamed('orderbook');
  for (const channel of [trades, books]) await client.ask(subscribe(channel));
  await settled(client);
  expect(statuses(client)).toMatchObject([
    { channel: 'trades', state: 'down', sinceTs: START_MS },
    { channel: 'orderbook', mode: 'full', state: 'down', sinceTs: START_MS },
  ]);
  service.healths.turn(primaryTrades, 'ok');
  await client.until(() => statuses(client).length === 4);
  expect(statuses(client).slice(2)).toMatchObject([{ state: 'live' }, { state: 'live' }]);
});

it('stops watching sources when the last subscriber leaves', async () => {
  service = await GatewayService.start();
  const client = await joined(trades);
  await client.ask({ op: 'unsubscribe', id: 'bye', channel: 'trades', symbol: 'BTC' });
  service.healths.turn(primaryTrades, 'down');
  await settled(client);
  expect(statuses(client)).toEqual([]);
});
