import { describe, expect, it } from 'vitest';
import { farside, farsideAs, farsideAt } from './index.ts';

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

  it('sends further headers beside those of a page', () => {
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

describe('the pages themselves', () => {
  const resources = farside.connector?.resources ?? [];

  it('are asked for under our own name, with the short pages as a fallback', () => {
    expect(resources.map(({ fallback }) => fallback?.path)).toEqual(['/btc/', '/eth/']);
    for (const { request, fallback, remedy } of resources) {
      for (const one of [request, fallback]) expect(one?.headers).not.toHaveProperty('user-agent');
      expect(remedy).toContain('ETF_SOURCE');
    }
  });

  it('are asked for under another name only where an operator says so, which is noted', () => {
    for (const { request, fallback, notes } of farsideAs('Mozilla/5.0').connector?.resources ?? []) {
      for (const one of [request, fallback]) expect(one?.headers).toHaveProperty('user-agent', 'Mozilla/5.0');
      expect(notes).toEqual(['Asked with the User-Agent that the operator has set: Mozilla/5.0']);
    }
  });
});
