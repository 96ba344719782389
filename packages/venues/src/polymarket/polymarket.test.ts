import { expect, it } from 'vitest';
import { Malformed } from '../venue.ts';
import { events } from './events.ts';

const { request, fallback } = events;
const page = (count: number): readonly unknown[] =>
  Array.from({ length: count }, () => ({ closed: false, markets: [{ active: false }] }));

it('asks for pages by cursor, and for no more than fifteen', () => {
  const first = events.parse({ events: page(100), next_cursor: 'a+b/c=' }, 0, {}, request.path);
  expect(first.more?.path).toBe(`${request.path}&after_cursor=a%2Bb%2Fc%3D`);
  const second = events.parse({ events: page(100), next_cursor: 'd' }, 0, {}, first.more?.path);
  expect(second.more?.path).toBe(`${request.path}&after_cursor=d`);
  expect(request.path).not.toContain('offset');
  expect(events).toMatchObject({ pagesMax: 15, isUsefulInPart: true });
});

it('pages by offset where the list by cursor fails', () => {
  expect(fallback?.path).toMatch(/^\/events\?.*&offset=0$/);
  const second = events.parse(page(20), 0, {}, fallback?.path).more;
  expect(second?.path).toBe(fallback?.path.replace('offset=0', 'offset=20'));
  expect(events.parse(page(19), 0, {}, second?.path).more).toBeUndefined();
});

it('is fresh for as long as the cache of the venue may keep a page', () => {
  expect(events.freshMs).toBeGreaterThan(300_000 + events.everyMs);
});

it('does not guess which page a full one was', () => {
  expect(() => events.parse(page(100), 0, {}, '/events')).toThrow(Malformed);
});
