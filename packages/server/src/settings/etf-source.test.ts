import { expect, it } from 'vitest';
import { etfPages, readEtfSource } from './etf-source.ts';

it('sends name and password in a header, not in the address', () => {
  expect(etfPages('bitcoin=https://me:p%40ß@mirror.example/btc.html?a=b@c')).toEqual({
    bitcoin: {
      url: 'https://mirror.example/btc.html?a=b@c',
      headers: { authorization: `Basic ${Buffer.from('me:p@ß').toString('base64')}` },
    },
  });
});

it('puts the asset where the address says so', () => {
  expect(etfPages('https://mirror.example/{asset}.html?a=b@c')).toEqual({
    bitcoin: { url: 'https://mirror.example/bitcoin.html?a=b@c' },
    ethereum: { url: 'https://mirror.example/ethereum.html?a=b@c' },
  });
});

it('reads one page for both assets where the address does not', () => {
  const page = { url: 'file:///etf.html' };
  expect(etfPages('file:///etf.html')).toEqual({ bitcoin: page, ethereum: page });
});

it('takes the page of each asset from its own address', () => {
  const source = readEtfSource('ethereum=/etf/eth,1.html,bitcoin=https://a.example/x?ethereum=1,2');
  expect(source).toBe('bitcoin=https://a.example/x?ethereum=1,2,ethereum=file:///etf/eth,1.html');
  expect(etfPages(source ?? '')).toEqual({
    bitcoin: { url: 'https://a.example/x?ethereum=1,2' },
    ethereum: { url: 'file:///etf/eth,1.html' },
  });
});

it('leaves the asset that is not named to Farside', () => {
  expect(etfPages('ethereum=file:///eth.html')).toEqual({ ethereum: { url: 'file:///eth.html' } });
});

it.each([
  'https://%zz:x@mirror.example/',
  'bitcoin=',
  'bitcoin=/a.html,bitcoin=/b.html',
  '/a.html,ethereum=/b.html',
  'bitcoin=ftp://a.example/x',
])('refuses %s', (text) => {
  expect(readEtfSource(text)).toBeUndefined();
});
