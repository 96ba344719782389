import * as fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Failure } from '../platform/errors.ts';
import { choice, coinName, commaList, defaulted, repeatable, venueName } from './parameter.ts';
import { readQuery } from './read-query.ts';
import { testVenues } from '../api/testing/test-api.ts';

const schema = Type.Object({
  coin: coinName({ description: 'A coin.' }),
  minUsd: defaulted(Type.Number({ minimum: 0 }), 5),
  days: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 7 })),
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 1_000 }), 200),
  period: Type.Optional(choice(['15m', '1h'], { description: 'A period.' })),
  coins: Type.Optional(
    commaList(coinName({ description: 'A coin.' }), { description: 'Coins.', maxItems: 3 }),
  ),
  venues: Type.Optional(commaList(venueName(['hyperliquid', 'bybit']), { description: 'Venues.' })),
  exchange: Type.Optional(repeatable(venueName(['hyperliquid', 'bybit']), { description: 'Venues.' })),
});

const read = (search: string): unknown => readQuery(schema, search, testVenues);

describe('readQuery', () => {
  it('fills in defaults and leaves the rest out', () => {
    expect(read('coin=BTC')).toEqual({ coin: 'BTC', minUsd: 5, limit: 200 });
  });

  it('reads every kind of parameter', () => {
    const search =
      'coin=%E5%B8%81&minUsd=1e5&days=0.5&limit=7&period=1h&coins=BTC,ETH,BTC&venues=venue_b,HL&exchange=hl&exchange=Bybit';
    expect(read(search)).toEqual({
      coin: '币',
      minUsd: 100_000,
      days: 0.5,
      limit: 7,
      period: '1h',
      coins: ['BTC', 'ETH'],
      venues: ['bybit', 'hyperliquid'],
      exchange: ['hyperliquid', 'bybit'],
    });
  });

  it('lets a key through, once', () => {
    expect(read('api_key=abc&coin=BTC')).toMatchObject({ coin: 'BTC' });
    expect(() => read('api_key=a&api_key=b&coin=BTC')).toThrow('more than once');
    expect(() => read('api_key=&coin=BTC')).toThrow('`api_key` is empty');
  });

  it.each([
    ['', 'Parameter `coin` is missing; it must be a ticker of 1 to 32 characters.'],
    ['coin', 'Parameter `coin` is empty; it must be a ticker of 1 to 32 characters.'],
    ['coin=', 'Parameter `coin` is empty; it must be a ticker of 1 to 32 characters.'],
    ['coin=A%20B', 'Parameter `coin` must be a ticker of 1 to 32 characters, not `A B`.'],
    ['coin=A+B', 'Parameter `coin` must be a ticker of 1 to 32 characters, not `A B`.'],
    [
      'coin=BTC%00',
      'Parameter `coin` has a control character in it; it must be a ticker of 1 to 32 characters.',
    ],
    ['coin=A&coins=BTC%00', 'Parameter `coins` has a control character in it'],
    ['coin=A&api_key=a%0Ab', 'Parameter `api_key` has a control character in it'],
    ['coin=A,B', 'Parameter `coin` must be a ticker of 1 to 32 characters, not `A,B`.'],
    [`coin=${'A'.repeat(70)}`, `characters, not \`${'A'.repeat(64)}…\`.`],
    ['coin=A&coin=B', 'Parameter `coin` is given more than once; it may be given once.'],
    ['coin=A&minUsd=-1', 'Parameter `minUsd` must be a number, at least 0, not `-1`.'],
    ['coin=A&minUsd=abc', 'Parameter `minUsd` must be a number, at least 0, not `abc`.'],
    ['coin=A&minUsd=0x10', 'Parameter `minUsd` must be'],
    ['coin=A&minUsd=1_000', 'Parameter `minUsd` must be'],
    ['coin=A&minUsd=+5', 'Parameter `minUsd` must be'],
    ['coin=A&minUsd=Infinity', 'Parameter `minUsd` must be'],
    ['coin=A&minUsd=1e999', 'Parameter `minUsd` must be'],
    ['coin=A&days=0', 'Parameter `days` must be a number, greater than 0 and at most 7, not `0`.'],
    ['coin=A&days=7.01', 'Parameter `days` must be'],
    ['coin=A&limit=0', 'Parameter `limit` must be an integer from 1 to 1000, not `0`.'],
    ['coin=A&limit=1001', 'Parameter `limit` must be'],
    ['coin=A&limit=1.5', 'Parameter `limit` must be'],
    ['coin=A&limit=1e2', 'Parameter `limit` must be'],
    ['coin=A&limit=007', 'Parameter `limit` must be'],
    ['coin=A&period=2h', 'Parameter `period` must be one of 15m, 1h, not `2h`.'],
    ['coin=A&period=1H', 'Parameter `period` must be one of 15m, 1h, not `1H`.'],
    ['coin=A&coins=A,,B', 'Parameter `coins` has an empty entry; each must be a ticker'],
    ['coin=A&coins=A,', 'Parameter `coins` has an empty entry'],
    ['coin=A&coins=A,B,C,D', 'Parameter `coins` has 4 entries; it may have up to 3.'],
    ['coin=A&coins=A&coins=B', 'Parameter `coins` is given more than once'],
    ['coin=A&venues=kraken', 'Parameter `venues` must be one of hyperliquid, bybit, not `kraken`.'],
    ['coin=A&venues=', 'Parameter `venues` is empty; it must be a comma-separated list, each entry one of'],
    ['coin=A&exchange=nope', 'Parameter `exchange` must be one of hyperliquid, bybit, not `nope`.'],
    ['coin=A&exchange=', 'Parameter `exchange` is empty; it must be one of hyperliquid, bybit.'],
    ['coin=A&Coin=B', 'Unknown parameter `Coin`; allowed: `coin`, `minUsd`'],
    ['coin=A&__proto__=B', 'Unknown parameter `__proto__`'],
    ['coin=A&constructor=B', 'Unknown parameter `constructor`'],
    ['coin=%zz', 'The query has a malformed escape in `%zz`.'],
  ])('refuses `%s`', (search, message) => {
    expect(() => read(search)).toThrow(Failure);
    expect(() => read(search)).toThrow(message);
  });

  it('says so where no parameter is allowed', () => {
    expect(() => readQuery(Type.Object({}), 'x=1')).toThrow('Unknown parameter `x`; this path takes none.');
  });

  it('reads back whatever was written by the rules', () => {
    const ticker = fc.stringMatching(/^[^\s,]{1,32}$/u);
    const query = fc.record({
      coin: ticker,
      minUsd: fc.double({ min: 0, max: 1e21, noNaN: true }).map(Math.abs),
      limit: fc.integer({ min: 1, max: 1_000 }),
      coins: fc.uniqueArray(ticker, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(query, (values) => {
        const search = Object.entries(values).map(
          ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
        );
        expect(read(search.join('&'))).toEqual(values);
      }),
    );
  });

  it('answers any text with values or a sentence, never with another error', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (search) => {
        try {
          read(search);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
    );
  });
});
