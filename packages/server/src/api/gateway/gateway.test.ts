import { afterEach, expect, it } from 'vitest';
import { tradeTopic } from '../../topics.ts';
import { tradeOf } from '../testing/stream-service.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { WsClient } from './testing/ws-client.ts';

let api: TestApi;
afterEach(() => api.close());

it('tells trades as they happen', async () => {
  api = await startTestApi();
  api.table('hyperliquid', 'instruments', [{ symbol: 'BTC', coin: 'BTC' }]);
  const client = await WsClient.open(api.port);
  expect(await client.ask({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'btc' })).toEqual({
    type: 'ack',
    id: 1,
    op: 'subscribe',
    channel: 'trades',
    symbol: 'BTC',
  });
  for (let tid = 1; tid <= 3; tid += 1) api.bus.publish(tradeTopic('BTC'), tradeOf(api.clock, tid));
  await client.until(() => client.data('trades').length === 3);
});
