import { trusts } from '@crosstape/core';
import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { count, orNull, resource, text, timeMs } from '../../http/field.ts';

const statuses = ['ok', 'stale', 'down', 'blocked', 'limited', 'changed'] as const;
const statusWords =
  '`stale`: its newest value is old; `down`: no answer; `blocked`: HTTP 401, 403 or 451; `limited`: HTTP 418 or 429; `changed`: its response can no longer be parsed';

const feedExample = {
  source: 'hyperliquid:trades',
  gives: ['trades'],
  status: 'ok' as const,
  error: null,
  notes: [] as string[],
  sinceTs: 1_790_000_000_000,
  ageMs: 41,
  messagesLastMinute: 5_213,
  messages: 183_002,
  refused: 0,
  reconnects: 1,
};

export const SourceFeed = resource(
  'SourceFeed',
  'One resource or feed of a source.',
  {
    source: text('`<publisher>:<resource or feed>`, as in `meta.sources`.'),
    gives: Type.Array(Type.String(), { description: 'Tables that it fills, or `trades`.' }),
    status: orNull(
      choice(statuses, { description: '' }),
      `${statusWords}; null (idle) while it has not been asked yet.`,
    ),
    error: orNull(Type.String(), 'What is wrong, in one sentence; null when nothing is.'),
    notes: Type.Array(Type.String(), {
      description:
        'What to know about its figures though it is `ok`, one sentence each: footnotes of the source, a table that shrank by more than half from one answer to the next.',
    }),
    sinceTs: timeMs('When the status became what it is.'),
    ageMs: orNull(Type.Number(), 'Since the last good answer or message; null when there was none.'),
    messagesLastMinute: orNull(
      Type.Integer(),
      'Good answers and messages of the last minute; null until one has passed.',
    ),
    messages: count('Good answers and messages since the start of the service.'),
    refused: count('Responses and messages that could not be parsed, since the start.'),
    reconnects: count('Reconnects since the start.'),
  },
  feedExample,
);

export const SourceInfo = resource(
  'SourceInfo',
  'A source of served figures: its identity, terms and state.',
  {
    id: text('Id of the venue or site.'),
    name: text('Its name.'),
    takes: text('Data used from it.'),
    trust: choice(trusts, {
      description:
        '`documented`: its own figures, by a public interface that it documents; `aggregated`: put together from others, by a documented interface; `undocumented`: an undocumented page or address, which may change without notice.',
    }),
    attribution: text('To be shown where its figures are.'),
    credit: Type.Optional(
      Type.Object(
        { text: text('Credit text to display.'), url: text('Where they must link to.') },
        { description: 'Present where its terms ask to be named; also in `meta.attribution` of answers.' },
      ),
    ),
    termsUrl: orNull(Type.String(), 'Where its terms are; null when it publishes none that we know of.'),
    termsNote: text('What to know before its figures are passed on.'),
    status: orNull(
      choice(statuses, { description: '' }),
      `The worst of its feeds: ${statusWords}; null (idle) when nothing has been asked of it yet.`,
    ),
    gaps24h: orNull(
      Type.Integer(),
      'Of the primary venue: gaps in the tape of bitcoin in the last 24 hours, refilled ones included (`/coverage` lists them); null for others, and while the store cannot be read.',
    ),
    sinceTs: Type.Optional(timeMs('Start of the record while `gaps24h` covers less than 24 hours.')),
    notes: Type.Array(Type.String(), { description: 'The notes of all its feeds.' }),
    feeds: Type.Array(SourceFeed, { description: 'Its resources and feeds.' }),
  },
  {
    id: 'hyperliquid',
    name: 'Hyperliquid',
    takes: 'every trade (the tape), order books, open interest, funding, mark and index prices of perpetuals',
    trust: 'documented',
    attribution: 'Trades and perpetuals: Hyperliquid',
    termsUrl: 'https://app.hyperliquid.xyz/terms',
    termsNote: 'Its trades are public on-chain. The terms are those of its website.',
    status: 'ok',
    gaps24h: 0,
    notes: [],
    feeds: [feedExample],
  },
);
