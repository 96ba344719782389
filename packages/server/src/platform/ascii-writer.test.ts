import { decimalOf, seededRandom } from '@crosstape/core';
import { expect, it } from 'vitest';
import { AsciiWriter, fragmentOf } from './ascii-writer.ts';

function printed(value: number, decimals: number): string {
  const writer = new AsciiWriter(200);
  writer.field(fragmentOf('"x":'), value, decimals);
  return Buffer.from(writer.finish()).toString();
}

it('prints numbers just below and above whole ones as JSON does, with any decimals', () => {
  const random = seededRandom(7);
  const wrong: string[] = [];
  for (let decimals = 0; decimals <= 17; decimals += 1)
    for (let bits = 0; bits < 53; bits += 1)
      for (let round = 0; round < 20; round += 1) {
        const any = Math.floor(random() * 2 ** bits);
        const whole = any - (any % 10 ** decimals);
        for (const value of [any, whole, Math.max(0, whole - 1), whole + 1])
          if (printed(value, decimals) !== `"x":${JSON.stringify(decimalOf(value, decimals))}`)
            wrong.push(`${value} with ${decimals} decimals: ${printed(value, decimals)}`);
      }
  expect(wrong).toEqual([]);
});

it('prints fragments of any length', () => {
  const writer = new AsciiWriter(1_000);
  const texts = Array.from({ length: 40 }, (_, length) => '{"},~az09'.repeat(5).slice(0, length));
  for (const text of texts) writer.fragment(fragmentOf(text));
  expect(Buffer.from(writer.finish()).toString()).toBe(texts.join(''));
});
