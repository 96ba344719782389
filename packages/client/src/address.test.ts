import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressOf } from './address.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly explode?: boolean;
  readonly schema?: { readonly type?: string };
}

describe('addressOf', () => {
  it('puts lists behind plural names, repeats singular ones, and leaves out what is not given', () => {
    expect(addressOf('http://a', '/perps/oi', { coins: ['BTC', 'ETH'], venues: undefined })).toBe(
      'http://a/api/v1/perps/oi?coins=BTC%2CETH',
    );
    expect(addressOf('http://a', '/points', { exchange: ['okx', 'gate'], 'transform.x': 1 })).toBe(
      'http://a/api/v1/points?exchange=okx&exchange=gate&transform.x=1',
    );
    expect(addressOf('http://a', '/onchain/valuation')).toBe('http://a/api/v1/onchain/valuation');
  });

  it('writes every list of the interface as the interface takes it', () => {
    const file = new URL('../../../docs/openapi.json', import.meta.url);
    const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
      paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
    };
    const lists = Object.values(paths)
      .flatMap((path) => Object.values(path).flatMap(({ parameters = [] }) => parameters))
      .filter(({ in: place, schema }) => place === 'query' && schema?.type === 'array');
    expect(lists.length).toBeGreaterThan(0);
    for (const { name, explode = true } of lists) {
      const address = addressOf('http://a', '/p', { [name]: ['x', 'y'] });
      const asTaken = explode ? `${name}=x&${name}=y` : `${name}=x%2Cy`;
      expect(address).toBe(`http://a/api/v1/p?${asTaken}`);
    }
  });
});
