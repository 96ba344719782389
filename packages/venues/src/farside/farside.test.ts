import { describe, expect, it } from 'vitest';
import { farside, farsideAt } from './index.ts';

describe('ETF pages from elsewhere', () => {
  const asked = (url: string): readonly (string | undefined)[] => {
    const { connector } = farsideAt(url);
    return (connector?.resources ?? []).map(({ request }) => connector?.origins.rest + request.path);
  };

  it('names the asset where the address says so', () => {
    expect(asked('https://mirror.example:8443/etf/{asset}.html?v=1')).toEqual([
      'https://mirror.example:8443/etf/bitcoin.html?v=1',
      'https://mirror.example:8443/etf/ethereum.html?v=1',
    ]);
  });

  it('sends further headers beside those of a browser', () => {
    const { connector } = farsideAt('https://mirror.example/x', { authorization: 'Basic eA==' });
    expect(connector?.resources[0]?.request.headers).toMatchObject({
      authorization: 'Basic eA==',
      'accept-language': expect.any(String),
    });
  });

  it('asks for one page twice where it does not', () => {
    expect(asked('http://mirror.example')).toEqual(['http://mirror.example/', 'http://mirror.example/']);
  });

  it('takes files, and looks at them more often than at a site', () => {
    expect(asked('file:///etf/{asset}.html')).toEqual([
      'file:///etf/bitcoin.html',
      'file:///etf/ethereum.html',
    ]);
    const everyMs = (publisher: typeof farside): number => publisher.connector?.resources[0]?.everyMs ?? 0;
    expect(everyMs(farsideAt('file:///etf.html'))).toBeLessThan(everyMs(farside));
    expect(everyMs(farsideAt('https://mirror.example/x'))).toBe(everyMs(farside));
  });

  it('goes by the same name, so that everything else stays the same', () => {
    expect(farsideAt('https://mirror.example/x').id).toBe(farside.id);
  });
});
