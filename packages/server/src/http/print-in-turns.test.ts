import { expect, it } from 'vitest';
import { SerializedJson } from './endpoint.ts';
import { printInTurns } from './print-in-turns.ts';

const rows = Array.from({ length: 2_100 }, (_, i) => ({ ts: i, byVenue: { a: i / 7 }, name: `“${i}”` }));

it.each([
  ['a list', rows],
  ['a field', { coin: 'BTC', none: undefined, points: rows, after: null, few: [1, 2] }],
])('prints %s as JSON does', async (_, data) => {
  const printed = await printInTurns<unknown>(data, '');
  expect(printed).toBeInstanceOf(SerializedJson);
  const { json, digest } = printed as SerializedJson;
  expect(Buffer.from(json).toString()).toBe(JSON.stringify(data));
  const again = (await printInTurns<unknown>(data, '')) as SerializedJson;
  expect(again.digest).toEqual(digest);
});

it('leaves short data as they are', async () => {
  for (const data of [{ points: rows.slice(0, 10) }, 'text', null, [1]])
    expect(await printInTurns<unknown>(data, '')).toBe(data);
});

it('lets other work have its turn between rows', async () => {
  let printed = 0;
  let most = 0;
  let next = setImmediate(function turn() {
    printed = 0;
    next = setImmediate(turn);
  });
  const counting = {
    toJSON: () => {
      printed += 1;
      most = Math.max(most, printed);
      return 1;
    },
  };
  await printInTurns({ points: Array.from({ length: 5_000 }, () => counting) }, '');
  clearImmediate(next);
  expect(most).toBeLessThanOrEqual(500);
});

it('takes the turns of its caller', async () => {
  const order: string[] = [];
  const print = async (caller: string): Promise<void> => {
    await printInTurns(rows, caller);
    order.push(caller);
  };
  const greedy = Array.from({ length: 20 }, (_, i) => print(`192.0.2.${i}`));
  await print('198.51.100.1');
  expect(order).toEqual(['198.51.100.1']);
  await Promise.all(greedy);
});
