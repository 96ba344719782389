import type { ParsedTables } from '@crosstape/core';
import { expect, it } from 'vitest';
import { Malformed } from '../venue.ts';
import { treasury } from './treasury.ts';

const company = {
  name: 'A',
  symbol: null,
  country: 'US',
  total_holdings: 1,
  total_entry_value_usd: 0,
  total_current_value_usd: 1,
  percentage_of_total_supply: 0,
};
const page = (companies: number): unknown => ({
  total_holdings: 1,
  total_value_usd: 1,
  market_cap_dominance: 1,
  companies: Array.from({ length: companies }, () => company),
});

it('asks for the next page after a full one, and for none after another', () => {
  const { request, parse } = treasury('ethereum');
  const second = parse(page(250), 0, {}, request.path).more;
  expect(second?.path).toBe(request.path.replace('&page=1&', '&page=2&'));
  expect(parse(page(250), 0, {}, second?.path).more?.path).toContain('&page=3&');
  expect(parse(page(249), 0, {}, second?.path).more).toBeUndefined();
});

it('does not guess which page a full one was', () => {
  expect(() => treasury('bitcoin').parse(page(250), 0, {}, '/elsewhere')).toThrow(Malformed);
});

it('keeps a company without any field but its name and its holdings', () => {
  const { parse, request } = treasury('bitcoin');
  const companies = Array.from({ length: 4 }, (_, i) => ({ ...company, name: `C${i}` }));
  const read = (changed: object): unknown =>
    (
      parse(
        { ...(page(0) as object), companies: [changed, ...companies] },
        0,
        {},
        request.path,
      ) as ParsedTables
    ).bitcoinTreasury?.[0]?.companies.length;
  for (const field of Object.keys(company)) {
    const { [field]: _, ...rest } = company as Record<string, unknown>;
    const kept = field === 'name' || field === 'total_holdings' ? 4 : 5;
    for (const changed of [rest, { ...rest, [field]: null }]) expect(read(changed), field).toBe(kept);
  }
  for (const garbage of [null, 5, 'x', {}]) expect(read(garbage as object)).toBe(4);
});

it('does without its totals', () => {
  const { parse, request } = treasury('bitcoin');
  const answer = parse({ companies: [company] }, 0, {}, request.path) as ParsedTables;
  expect(answer.bitcoinTreasury).toMatchObject([{ companies: [{ name: 'A' }] }]);
  expect(answer.bitcoinTreasury?.[0]).not.toHaveProperty('holdings');
});

it('refuses an empty list, and takes an empty page after a full one', () => {
  const { parse, request } = treasury('bitcoin');
  const second = parse(page(250), 0, {}, request.path).more;
  expect(() => parse(page(0), 0, {}, request.path)).toThrow(Malformed);
  expect(parse(page(0), 0, {}, second?.path).bitcoinTreasury).toMatchObject([{ companies: [] }]);
});
