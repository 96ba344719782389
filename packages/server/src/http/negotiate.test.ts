import { describe, expect, it } from 'vitest';
import { acceptedEncoding, matchesTag } from './negotiate.ts';

describe('acceptedEncoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP;Q=0.5', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.5, *;q=0.1', 'gzip'],
    ['identity', 'identity'],
    ['identity;q=1, gzip;q=0.5', 'identity'],
    ['identity, gzip', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=abc, br;q=0.1', 'br'],
    ['deflate', 'identity'],
    // Longer than any client needs: not parsed.
    [`gzip${',x'.repeat(300)}`, 'identity'],
  ] as const)('%s → %s', (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
    expect(acceptedEncoding(header)).toBe(encoding);
  });

  it('continues working when more different headers come than it remembers', () => {
    for (let i = 0; i < 1_000; i += 1) expect(acceptedEncoding(`gzip, x-${i}`)).toBe('gzip');
  });
});

describe('matchesTag', () => {
  it.each([
    [undefined, false],
    ['"a"', true],
    ['W/"a"', true],
    ['*', true],
    [' * ', true],
    ['"b", "a"', true],
    ['"b", W/"a"', true],
    ['"b"', false],
    ['a', false],
    ['"a-br"', false],
    ['"x,"a"', false],
    ['', false],
  ])('%s: %s', (header, isMatch) => {
    expect(matchesTag(header, '"a"')).toBe(isMatch);
  });
});
