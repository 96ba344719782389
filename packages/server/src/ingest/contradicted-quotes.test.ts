import type { Frame } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { snapshotTopic } from '../topics.ts';
import { fakeFeed, fakeResource } from './testing/fake-venue.ts';
import { startRig } from './testing/rig.ts';

const row = (coin: string, bid: number) => ({ coin, symbol: coin, quote: 'USD', bid, ask: bid + 1 });

/** `A 10` is a quote of A. */
function parseFrame(text: string): Frame {
  const [coin = '', bid] = text.split(' ');
  if (bid === undefined || coin === 'ack') return { kind: 'heartbeat' };
  return { kind: 'quotes', quotes: [row(coin, Number(bid))], isEveryChange: true };
}

it('a pair that is pushed no more, though another is, gives way to its polled price', async () => {
  let polled = 10;
  const rig = await startRig({
    feeds: [fakeFeed({ name: 'quotes', open: () => parseFrame })],
    coins: ['A', 'B'],
    resources: [
      fakeResource({
        everyMs: 10_000,
        gives: ['spotTickers'],
        parse: () => ({ spotTickers: [{ ...row('A', polled), last: polled }] }),
      }),
    ],
  });
  try {
    const quoted = (): readonly string[] =>
      rig.bus.latest(snapshotTopic('fake', 'spotQuotes'))?.message.rows.map(({ coin }) => coin) ?? [];
    await rig.passUntil(() => rig.venue.received.includes('sub B'), 3_000);
    const pushB = async (): Promise<void> => {
      rig.venue.sockets[0]?.send('B 5');
      await rig.pass(1_000);
    };
    rig.venue.sockets[0]?.send('A 10');
    for (let i = 0; i < 25; i += 1) await pushB();
    expect(quoted().toSorted()).toEqual(['A', 'B']);
    polled = 20;
    for (let i = 0; i < 25; i += 1) await pushB();
    expect(quoted()).toEqual(['B']);
    expect(rig.venue.received.filter((frame) => frame !== 'ping').slice(2)).toEqual(['unsub A', 'sub A']);
  } finally {
    await rig.stop();
  }
});
