import { type Venue, venues } from '@crosstape/venues';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBody } from './parse-body.ts';
import { readFrame } from './read-frame.ts';
import { runs } from '../../../../test/runs.ts';

/** Bytes of any kind: noise, any JSON, and JSON that looks like a venue's. */
const anything = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
  fc
    .record({
      channel: fc.constantFrom('trades', 'pong', 'subscriptionResponse', 'error', 'new'),
      data: fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.record({
            coin: fc.oneof(fc.constant('BTC'), fc.jsonValue()),
            side: fc.constantFrom('A', 'B', 1, null),
            px: fc.oneof(fc.constantFrom('1.5', 'NaN', 'Infinity', '-1', '', '1e400'), fc.jsonValue()),
            sz: fc.oneof(fc.constantFrom('2', '0'), fc.jsonValue()),
            time: fc.oneof(fc.nat(), fc.jsonValue()),
            tid: fc.oneof(fc.nat(), fc.constantFrom(Number.MAX_VALUE, 1.5)),
          }),
          { maxLength: 3 },
        ),
      ),
    })
    .map((frame) => Buffer.from(JSON.stringify(frame))),
);

const connected = venues.filter((venue: Venue) => venue.connector);

describe.each(connected)('$id', ({ connector }) => {
  test('no bytes of a feed make a parser throw or return a non-finite number', () => {
    for (const feed of connector?.feeds ?? []) {
      const parse = feed.open(() => ({}));
      fc.assert(
        fc.property(anything, (bytes) => {
          const frame = readFrame(parse, bytes);
          if (frame.kind !== 'trades') return;
          for (const { price, size, venueTs, tid } of frame.trades) {
            for (const number of [price, size, venueTs, tid]) expect(number).toSatisfy(Number.isFinite);
          }
        }),
        { numRuns: runs(2_000) },
      );
    }
  });

  test('no bytes of an answer make a parser throw or return a non-finite number', () => {
    for (const resource of connector?.resources ?? []) {
      fc.assert(
        fc.property(anything, (bytes) => {
          const parsed = parseBody(resource, bytes, { receivedAtMs: 1, known: {}, key: '' });
          if (!('page' in parsed)) return;
          for (const table of resource.gives) {
            for (const row of parsed.page[table] ?? []) {
              for (const value of Object.values(row)) {
                if (typeof value === 'number') expect(value).toSatisfy(Number.isFinite);
              }
            }
          }
        }),
        { numRuns: runs(1_000) },
      );
    }
  });
});
