import { expect, it } from 'vitest';
import { Malformed } from '../venue.ts';
import { events } from './events.ts';

const page = (count: number): unknown =>
  Array.from({ length: count }, () => ({ closed: false, markets: [] }));

it('asks for the next page after a full one, up to the third, and for none after another', () => {
  const second = events.parse(page(100), 0, {}, events.request.path).more;
  expect(second?.path).toBe(events.request.path.replace('offset=0', 'offset=100'));
  const third = events.parse(page(100), 0, {}, second?.path).more;
  expect(third?.path).toContain('offset=200');
  expect(events.parse(page(100), 0, {}, third?.path).more).toBeUndefined();
  expect(events.parse(page(99), 0, {}, second?.path).more).toBeUndefined();
});

it('does not guess which page a full one was', () => {
  expect(() => events.parse(page(100), 0, {}, '/events')).toThrow(Malformed);
});
