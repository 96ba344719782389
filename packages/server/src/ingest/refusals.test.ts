import { seededRandom } from '@crosstape/core';
import { expect, test } from 'vitest';
import { briefly, kindOfRefusal, Refusals } from './refusals.ts';

test.each([0.05, 0.2])('a share of %d refused frames is borne', (share) => {
  const refusals = new Refusals();
  const random = seededRandom(1);
  let alarms = 0;
  for (let i = 0; i < 20_000; i += 1) {
    refusals.note(random() < share);
    if (refusals.isChanged) alarms += 1;
  }
  expect(alarms).toBe(0);
});

test('seventeen in a row are a change, and about as many good ones end it', () => {
  const refusals = new Refusals();
  for (let i = 0; i < 16; i += 1) refusals.note(true);
  expect(refusals.isChanged).toBe(false);
  refusals.note(true);
  expect(refusals.isChanged).toBe(true);
  for (let i = 0; i < 10; i += 1) refusals.note(false);
  expect(refusals.isChanged).toBe(true);
  for (let i = 0; i < 10; i += 1) refusals.note(false);
  expect(refusals.isChanged).toBe(false);
});

test.each([
  ['ETH trade.px is not a decimal text: 3830.7', 'kPEPE trade.px is not a decimal text: "x"'],
  ['1000PEPE.markPx is not above zero: 0', 'BTC.markPx is not above zero: -1'],
  [
    `Unexpected token 'u', "uex*"/{qds"... is not valid JSON`,
    `Unexpected token ';', ";"Nr#@<%u#"... is not valid JSON`,
  ],
  ['Unexpected number in JSON at position 1', 'Unexpected number in JSON at position 17'],
])('%s: is of the same kind as: %s', (one, other) => {
  expect(kindOfRefusal(one)).toBe(kindOfRefusal(other));
});

test('another field is another kind', () => {
  expect(kindOfRefusal('BTC.markPx is not a text: 1')).not.toBe(
    kindOfRefusal('BTC.oraclePx is not a text: 1'),
  );
});

test('a reason stays short whatever it quotes', () => {
  expect(briefly(`the venue says: ${'x'.repeat(1_000_000)}`).length).toBeLessThan(250);
});
