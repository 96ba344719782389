import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { koreanVenue, readablePublishers, spotVenues, venues } from './index.ts';

/** Share of a minute's weight that may be spent at once, where a venue says nothing else. */
const AT_ONCE_SHARE = 0.25;

/** In `fixtures/facts.json` of a venue: what it allows an address in a short time; null where it states no such limit. */
interface Facts {
  readonly burst: {
    readonly requests: number;
    readonly seconds: number;
    /** Other sources whose requests count with its own. */
    readonly sharedWith?: readonly string[];
  } | null;
}

const bursts = [...venues, ...spotVenues, koreanVenue].flatMap(({ id }) => {
  const text = readFileSync(new URL(`./${id}/fixtures/facts.json`, import.meta.url), 'utf8');
  const { burst } = JSON.parse(text) as Facts;
  return burst === null ? [] : [{ id, ids: [id, ...(burst.sharedWith ?? [])], ...burst }];
});

it.each(bursts)('$id: sends at most $requests requests in $seconds s', ({ ids, requests, seconds }) => {
  const sent = ids.map((id) => {
    const { limits } = readablePublishers.find((one) => one.id === id)!.connector!;
    const { weightPerMinute, weightAtOnce = weightPerMinute * AT_ONCE_SHARE } = limits;
    return weightAtOnce + ((weightPerMinute - weightAtOnce) / 60) * seconds;
  });
  expect(sent.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(requests);
});

it('has a burst limit of several venues', () => expect(bursts.length).toBeGreaterThan(5));
