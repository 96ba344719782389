import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CaptureLine, decodeBody, encodeBody, partsOfLine } from './format.ts';

it('keeps any bytes, and writes valid UTF-8 as a text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 50 }).map((value) => Buffer.from(value, 'utf8'));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), text), (bytes) => {
      const body = encodeBody(bytes);
      expect(Buffer.compare(decodeBody(body), bytes)).toBe(0);
    }),
  );
  expect(encodeBody(Buffer.from('{"a":1}'))).toEqual({ text: '{"a":1}' });
  expect(encodeBody(Buffer.from([0xff, 0x00]))).toEqual({ base64: '/wA=' });
  // A byte order mark is kept.
  expect(encodeBody(Buffer.from([0xef, 0xbb, 0xbf, 0x61]))).toEqual({ text: '\uFEFFa' });
});

it('writes a large body in parts that make one line of JSON', () => {
  // An odd start puts the second half of a pair into the next part.
  const text = `x${'😀"\\\n'.repeat(100_000)}`;
  const line: CaptureLine = { t: 1, type: 'answer', id: 2, status: 200, headers: {}, body: { text } };
  const parts = [...partsOfLine(line)];
  expect(parts.length).toBeGreaterThan(3);
  const joined = parts.join('');
  expect(joined.indexOf('\n')).toBe(joined.length - 1);
  expect(JSON.parse(joined)).toEqual(line);
});
