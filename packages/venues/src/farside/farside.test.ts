import { describe, expect, it } from 'vitest';
import type { Resource } from '../venue.ts';
import { farside, farsideWith } from './index.ts';

describe('ETF pages from elsewhere', () => {
  const resourcesOf = (options: Parameters<typeof farsideWith>[0]): readonly Resource[] =>
    farsideWith(options).connector?.resources ?? [];

  it('takes each page from its own address and names it as the source', () => {
    const [bitcoin, ethereum] = resourcesOf({
      pages: {
        bitcoin: {
          url: 'https://mirror.example:8443/btc.html?v=1',
          headers: { authorization: 'Basic eA==' },
        },
        ethereum: { url: 'file:///etf/eth.html' },
      },
    });
    expect(bitcoin).toMatchObject({
      label: 'operator:mirror.example:8443',
      request: {
        origin: 'https://mirror.example:8443',
        path: '/btc.html?v=1',
        headers: { authorization: 'Basic eA==', 'accept-language': expect.any(String) },
      },
    });
    expect(bitcoin?.fallback).toBeUndefined();
    expect(ethereum).toMatchObject({
      label: 'operator:file',
      request: { origin: 'file://', path: '/etf/eth.html' },
    });
    expect(ethereum?.everyMs).toBeLessThan(bitcoin?.everyMs ?? 0);
  });

  it("leaves the other page at Farside's own address", () => {
    const [bitcoin, ethereum] = resourcesOf({ pages: { bitcoin: { url: 'http://mirror.example' } } });
    expect(bitcoin?.request).toMatchObject({ origin: 'http://mirror.example', path: '/' });
    expect(ethereum?.label).toBeUndefined();
    expect(ethereum?.request.origin).toBeUndefined();
    expect(ethereum?.fallback?.path).toBe('/eth/');
  });
});

describe('the pages themselves', () => {
  const resources = farside.connector?.resources ?? [];

  it('are requested under our own name, with the short pages as a fallback', () => {
    expect(resources.map(({ fallback }) => fallback?.path)).toEqual(['/btc/', '/eth/']);
    for (const { request, fallback, remedy } of resources) {
      for (const one of [request, fallback]) expect(one?.headers).not.toHaveProperty('user-agent');
      expect(remedy).toContain('ETF_SOURCE');
    }
  });

  it('are requested under another name only where an operator says so, which is noted', () => {
    for (const { request, fallback, notes } of farsideWith({ userAgent: 'Mozilla/5.0' }).connector
      ?.resources ?? []) {
      for (const one of [request, fallback]) expect(one?.headers).toHaveProperty('user-agent', 'Mozilla/5.0');
      expect(notes).toEqual(['Asked with the User-Agent that the operator has set: Mozilla/5.0']);
    }
  });
});
