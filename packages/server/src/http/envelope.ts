import { Attribution } from './attribution.ts';
import { Type } from 'typebox';
import { type FailureCode, failureCodes } from '../platform/errors.ts';
import { choice } from './parameter.ts';
import { flag, number, orNull, resource, text, timeMs } from './field.ts';

export const SourceEntry = resource(
  'SourceEntry',
  'A source that did not give all it should.',
  {
    source: text('Venue id, or `<venue id>:<resource>`.'),
    status: choice(['ok', 'stale', 'down', 'blocked', 'limited', 'changed'], {
      description:
        '`stale`: its newest value is old; `down`: no answer; `blocked`: HTTP 401, 403 or 451; `limited`: HTTP 418 or 429; `changed`: its response can no longer be parsed.',
    }),
    ageMs: orNull(Type.Number(), 'Age of its last good value in milliseconds; null when there was none.'),
    error: orNull(Type.String(), 'What is wrong, in one sentence; null when nothing is.'),
    coins: Type.Optional(
      Type.Array(Type.String(), { description: 'The coins concerned, when it is not all of them.' }),
    ),
  },
  {
    source: 'bybit:tickers',
    status: 'limited',
    ageMs: 41_000,
    error: 'The venue answered 429.',
    coins: ['BTC'],
  },
);

/** Fields of every answer's `meta`. */
export const metaProperties = {
  fetchedAt: timeMs('Time of the newest upstream fetch in this answer.'),
  source: text('Ids of the venues it comes from, joined by `+`; each prefixed `sim:` when simulated.'),
  stale: Type.Optional(flag('True when an upstream is failing and its last good value is served instead.')),
  ageMs: Type.Optional(number('With `stale`: age of the oldest such value in milliseconds.')),
  partial: Type.Optional(flag('Whether something requested is missing because a source failed.')),
  sources: Type.Optional(Type.Array(SourceEntry, { description: 'The sources that failed.' })),
  attribution: Type.Optional(
    Type.Array(Attribution.items, {
      description:
        'Sources of this answer whose terms ask to be named: show these words, with the link, wherever you show their figures. Absent when there is none.',
    }),
  ),
  keyStatus: Type.Optional(
    choice(['invalid', 'unavailable'], {
      description:
        'Present if a key was sent but the request is treated as anonymous: the key is invalid, or keys cannot be checked at the moment.',
    }),
  ),
};

/** For endpoints that take a list of coins. */
export const coinsMeta = {
  unknown: Type.Optional(
    Type.Array(Type.String(), { description: 'Entries of `coins` that are not known, as they were given.' }),
  ),
  notListed: Type.Optional(
    Type.Array(
      Type.Object({
        venue: text('Venue id.'),
        coins: Type.Array(Type.String(), { description: 'Known coins that the venue does not list.' }),
      }),
      { description: 'Requested coins that a venue does not list, by venue.' },
    ),
  ),
};

export const Meta = Type.Object(metaProperties);

const codes = Object.keys(failureCodes) as FailureCode[];

export const FailureBody = resource(
  'Failure',
  'The body of every failure.',
  {
    error: text('Human-readable error message.'),
    data: Type.Array(Type.Never(), { maxItems: 0, description: 'Always empty.' }),
    meta: Type.Object(
      {
        fetchedAt: metaProperties.fetchedAt,
        source: metaProperties.source,
        code: choice(codes, { description: 'Error code.' }),
        id: Type.Optional(text('With `internal`: names the entry in the log of the service.')),
        unknown: coinsMeta.unknown,
        sources: metaProperties.sources,
        keyStatus: metaProperties.keyStatus,
      },
      { description: 'Error code and details.' },
    ),
  },
  {
    error: 'Parameter `limit` must be an integer from 1 to 1000, not `0`.',
    data: [],
    meta: { fetchedAt: 1_790_000_000_000, source: 'crosstape', code: 'bad_request' },
  },
);
