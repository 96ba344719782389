import { expect, it, vi } from 'vitest';
import { named, type Row, VenueRig } from '../../testing/venue-rig.ts';

const rig = new VenueRig('kraken');

interface Answer {
  readonly result: string;
  readonly error?: string;
  readonly instruments?: readonly Row[];
  readonly tickers?: readonly Row[];
  readonly history?: readonly Row[];
}

async function ask(call: string): Promise<Answer & { readonly status: number }> {
  const { status, body } = await rig.ask<Answer>(`/derivatives/api/v3/${call}`);
  return { status, ...body };
}

it('lists linear perpetuals among inverse and dated ones, shares, the delisted and indices', async () => {
  const { result, instruments } = await ask('instruments');
  expect(result).toBe('success');
  expect(named(instruments, 'PF_XBTUSD')).toMatchObject({ base: 'BTC', pair: 'XBT:USD', tradfi: false });
  expect(named(instruments, 'PF_PEPEUSD')).toMatchObject({ base: 'PEPE', type: 'flexible_futures' });
  expect(named(instruments, 'PI_XBTUSD')).toMatchObject({ type: 'futures_inverse' });
  expect(named(instruments, 'FF_XBTUSD_271231')).toHaveProperty('lastTradingTime');
  expect(named(instruments, 'PF_TSLAxUSD')).not.toHaveProperty('tradfi');
  expect(named(instruments, 'PF_GOLDUSD')).toMatchObject({ tradfi: true });
  expect(named(instruments, 'PF_MATICUSD')).toMatchObject({ tradeable: false });
  expect(named(instruments, 'in_xbtusd')).toMatchObject({ type: 'spot index' });
});

it('says in a 200 what is wrong, but that something is not there in a 404', async () => {
  expect(await ask('history')).toMatchObject({
    status: 200,
    result: 'error',
    error: 'requiredArgumentMissing',
  });
  expect(await ask('tickers/PF_FOOUSD')).toMatchObject({ status: 404, result: 'error' });
});

it('numbers the trades of a product without gaps, the same on every socket', async () => {
  const seqsByUid = async (symbol: string, advanceMs: number): Promise<ReadonlyMap<string, number>> => {
    const socket = await rig.open('/ws/v1');
    socket.send({ event: 'subscribe', feed: 'trade', product_ids: [symbol] });
    await vi.waitUntil(() => socket.frames.length === 3);
    for (let leftMs = advanceMs; leftMs > 0; leftMs -= 500) rig.clock.advance(500);
    socket.send({ event: 'subscribe', feed: 'heartbeat' });
    await vi.waitUntil(() => socket.frames.some((frame) => frame.includes('"heartbeat"')));
    const rows = socket.frames.flatMap((frame): readonly Row[] => {
      const row: Row = JSON.parse(frame);
      if (row['feed'] === 'trade_snapshot') return (row['trades'] as readonly Row[]).toReversed();
      return row['feed'] === 'trade' && row['event'] === undefined ? [row] : [];
    });
    socket.close();
    const seqs = rows.map((row) => Number(row['seq']));
    expect(seqs.length).toBeGreaterThan(50);
    expect(seqs).toEqual(seqs.map((_, i) => (seqs[0] ?? 0) + i));
    return new Map(rows.map((row) => [String(row['uid']), Number(row['seq'])]));
  };
  const first = await seqsByUid('PF_XBTUSD', 120_000);
  const second = await seqsByUid('PF_XBTUSD', 120_000);
  const common = [...second].filter(([uid]) => first.has(uid));
  expect(common.length).toBeGreaterThan(50);
  for (const [uid, seq] of common) expect(first.get(uid)).toBe(seq);
  await seqsByUid('PF_ETHUSD', 120_000);
});

it('refuses feeds and contracts that are not there, and what is no request at all', async () => {
  const socket = await rig.open('/ws/v1');
  socket.send({ event: 'subscribe', feed: 'trade', product_ids: ['PF_FOOUSD'] });
  socket.send({ event: 'subscribe', feed: 'nothing' });
  socket.send('hello');
  await vi.waitUntil(() => socket.frames.length === 4);
  expect(socket.frames.slice(1)).toEqual([
    '{"event":"error","message":"Invalid product id"}',
    '{"event":"error","message":"Invalid feed"}',
    '{"event":"alert","message":"Bad request"}',
  ]);
  socket.close();
});
