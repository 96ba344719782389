import { expect, it, onTestFinished } from 'vitest';
import { publishScript, type Shard, shardsOf } from './bus-wire.ts';
import { hashSlot, SLOTS } from './bus-wire.ts';
import { connectRedis, disconnect, isConnected } from './redis.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

it('knows the slot of a tag as a cluster does', () => {
  // The check value of CRC16/XMODEM, and a result of `CLUSTER KEYSLOT`.
  expect(hashSlot('123456789')).toBe(0x31c3);
  expect(hashSlot('foo')).toBe(12_182);
});

it.each(['crosstape:live', 'crosstape:sim/1', 'crosstape:sim/42'])(
  'shares out the shards of %s evenly among the masters of a cluster',
  (prefix) => {
    const slots = shardsOf(prefix).map(({ log }) => hashSlot(/\{(.+)\}/.exec(log)?.[1] ?? ''));
    const perMaster = (masters: number): readonly number[] =>
      Array.from(
        { length: masters },
        (_, i) => slots.filter((slot) => Math.floor((slot * masters) / SLOTS) === i).length,
      );
    expect(perMaster(2)).toEqual([4, 4]);
    expect(perMaster(4)).toEqual([2, 2, 2, 2]);
    expect(perMaster(8)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(Math.max(...perMaster(3))).toBe(3);
    expect(new Set(slots).size).toBe(8);
  },
);

it.runIf(hasRedis)('takes no batch that comes after a later one, and none twice', async () => {
  const server = await TestRedis.start();
  onTestFinished(() => server.close());
  const link = connectRedis(server.url);
  onTestFinished(() => disconnect(link));
  await isConnected(link);
  const { fence, done, log, news, latest } = shardsOf('late')[0] as Shard;
  const send = (token: number, number: number): Promise<unknown> =>
    publishScript.run(
      link,
      [fence, done, log, news, latest],
      [token, number, 60_000, '', `${token}:${number}`, 'price', String(number)],
    );
  const sent = async (): Promise<readonly unknown[]> =>
    (await link.xrange(log, '-', '+')).map(([, fields]) => fields[1]);
  await send(3, 5);
  await send(3, 9);
  const last = String(await send(3, 10));
  for (const late of [5, 9, 10]) expect(String(await send(3, late))).toBe(last);
  expect(await sent()).toEqual(['3:5', '3:9', '3:10']);
  expect(await link.hget(latest, 'price')).toBe('10');
  expect(await link.xlen(news)).toBe(3);
  await send(4, 1);
  expect(await sent()).toEqual(['3:5', '3:9', '3:10', '4:1']);
});
