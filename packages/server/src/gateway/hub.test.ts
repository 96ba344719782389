import { ManualClock } from '@crosstape/core';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { LocalBus } from '../platform/local-bus.ts';
import type { GatewayChannel } from './gateway-channel.ts';
import { Hub } from './hub.ts';

it('opens a topic for its first caller, and passes it to the next one when that caller has left', () => {
  const events: string[] = [];
  const channel: GatewayChannel = {
    name: 'orderbook',
    summary: '',
    description: '',
    params: {},
    payload: Type.Object({}),
    isState: true,
    sources: () => [],
    open: (_ask, _publish, { caller }) => {
      events.push(`open ${caller?.caller}`);
      return { passTo: (next) => events.push(`pass ${next.caller}`), close: () => events.push('close') };
    },
  };
  const bus = new LocalBus(new ManualClock(0));
  type Caller = Parameters<Hub['hold']>[2];
  type Parts = ConstructorParameters<typeof Hub>;
  const [scheduler, context, states] = [{}, { bus }, { watch: () => ({ stop: () => undefined }) }];
  const hub = new Hub(
    scheduler as unknown as Parts[0],
    context as unknown as Parts[1],
    states as unknown as Parts[2],
  );
  const request = { symbol: 'BTC' };
  const [a, b, c] = ['a', 'b', 'c'].map((caller) => ({ caller, address: caller })) as [
    Caller,
    Caller,
    Caller,
  ];
  const topic = hub.hold(channel, request, a);
  for (const caller of [a, b, c]) hub.hold(channel, request, caller);
  hub.release(topic, a);
  hub.release(topic, c);
  expect(events).toEqual(['open a']);
  hub.release(topic, a);
  expect(events).toEqual(['open a', 'pass b']);
  hub.release(topic, b);
  expect(events).toEqual(['open a', 'pass b', 'close']);
});
