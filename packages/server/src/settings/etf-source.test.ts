import { expect, it } from 'vitest';
import { etfRequest, readEtfSource } from './etf-source.ts';

it('asks with name and password in a header, not in the address', () => {
  expect(etfRequest('https://me:p%40ß@mirror.example/{asset}.html?a=b@c')).toEqual({
    url: 'https://mirror.example/{asset}.html?a=b@c',
    headers: { authorization: `Basic ${Buffer.from('me:p@ß').toString('base64')}` },
  });
});

it.each(['https://mirror.example/{asset}.html?a=b@c', 'file:///etf/{asset}.html'])(
  'asks for %s as it is',
  (source) => expect(etfRequest(source)).toEqual({ url: source, headers: {} }),
);

it('takes no name that means nothing', () => {
  expect(readEtfSource('https://%zz:x@mirror.example/')).toBeUndefined();
});
