import { expect, it } from 'vitest';
import { UNWRITTEN_BYTES_MAX, UnwrittenResults } from './unwritten-results.ts';

const result = (share: number, endedAtMs = 0) => ({
  pack: new Uint8Array(Math.floor(UNWRITTEN_BYTES_MAX * share)),
  endedAtMs,
});

/** Which of these are kept. Printing a difference would take minutes: they are large. */
const kept = (results: UnwrittenResults, ...keys: string[]): readonly string[] =>
  keys.filter((key) => results.get(key) !== undefined);

it('keeps results up to a number of bytes, the newest in any case', () => {
  const results = new UnwrittenResults();
  const [a, b, c, huge] = [result(0.5), result(0.4), result(0.3), result(1.5)];
  results.hold('a', a);
  results.hold('b', b);
  results.hold('c', c);
  expect(kept(results, 'a', 'b', 'c')).toEqual(['b', 'c']);
  results.hold('huge', huge);
  expect(kept(results, 'b', 'c', 'huge')).toEqual(['huge']);
  results.hold('a', a);
  expect(kept(results, 'huge', 'a')).toEqual(['a']);
  expect(results.get('a') === a).toBe(true);
});

it('counts a result once that is built again', () => {
  const results = new UnwrittenResults();
  const [other, again] = [result(0.4), result(0.6)];
  results.hold('other', other);
  for (let i = 0; i < 3; i += 1) results.hold('again', again);
  expect(kept(results, 'other', 'again')).toEqual(['other', 'again']);
});

it('drops expired results and frees their memory', () => {
  const results = new UnwrittenResults();
  const [old, young, next] = [result(0.5, 1), result(0.4, 2), result(0.5, 3)];
  results.hold('old', old);
  results.hold('young', young);
  results.prune(({ endedAtMs }) => endedAtMs < 2);
  results.hold('next', next);
  expect(kept(results, 'old', 'young', 'next')).toEqual(['young', 'next']);
});
