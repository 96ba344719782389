import { Type } from 'typebox';
import { flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

export const PredictionEvent = resource(
  'PredictionEvent',
  'An active binary market of the prediction venue.',
  {
    id: text('Id of the question, which no other row has.'),
    slug: text('Name of the event in addresses.'),
    title: text('Title of the event.'),
    question: text('The question that is decided.'),
    outcomes: Type.Array(
      Type.Object({
        name: text('Name of the outcome.'),
        tokenId: text('Numeric id under which its order book is found.'),
        price: number('Price, 0 to 1.'),
      }),
      { description: 'The two outcomes.' },
    ),
    liquidityUsd: number('Liquidity in USD.'),
    volume24hUsd: number('Volume of the last 24 hours in USD.'),
    endMs: timeMs('When the market closes.'),
    hoursToClose: number('Hours from `meta.fetchedAt` until then.'),
    score: number('`liquidityUsd` times `hoursToClose`, by which events are ranked.'),
    url: text('Page of the event on the venue.'),
    eventId: text('Id of the event: all questions of a kind share it.'),
    coin: orNull(Type.String(), 'Ticker of the coin that it is about; null when it is not about one.'),
  },
  {
    id: '512331',
    slug: 'btc-above-120k-on-december-31',
    title: 'Bitcoin above 120k on December 31?',
    question: 'Will bitcoin trade above 120,000 USD on December 31?',
    outcomes: [
      { name: 'Yes', tokenId: '7132110459921', price: 0.42 },
      { name: 'No', tokenId: '5512044718203', price: 0.58 },
    ],
    liquidityUsd: 182_334.2,
    volume24hUsd: 40_112.9,
    endMs: 1_798_761_600_000,
    hoursToClose: 2_433.8,
    score: 443_765_175.9,
    url: 'https://polymarket.com/event/btc-above-120k-on-december-31',
    eventId: '23114',
    coin: 'BTC',
  },
);

export const QuestionPriceSeries = resource(
  'QuestionPriceSeries',
  'Recorded prices of a question. A missing sample is missing, never repeated.',
  {
    id: text('Id of the question.'),
    points: Type.Array(
      Type.Object({
        t: timeMs('Time of the sample.'),
        price: number('Price of the first outcome, 0 to 1; that of the other one is about 1 minus it.'),
      }),
      { description: 'Samples, oldest first.' },
    ),
    cadenceMs: number('Time between two samples in milliseconds.'),
    retention: text('How long samples are kept.'),
    enabled: Type.Boolean({ description: 'Whether the record can be read.' }),
    fetchedAt: timeMs('Time of the newest sample.'),
  },
  {
    id: '512331',
    points: [{ t: 1_789_999_800_000, price: 0.42 }],
    cadenceMs: 600_000,
    retention: '30d',
    enabled: true,
    fetchedAt: 1_789_999_800_000,
  },
);

const Levels = (description: string) =>
  Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '`[price, size]`.' }), {
    description,
  });

export const PredictionBook = resource(
  'PredictionBook',
  'The whole order book of one outcome.',
  {
    tokenId: text('Numeric id of the outcome.'),
    bids: Levels('Bids as `[price, size]`, best first.'),
    asks: Levels('Asks as `[price, size]`, best first.'),
    bestBid: orNull(Type.Number(), 'Best bid; null when there is none.'),
    bestAsk: orNull(Type.Number(), 'Best ask; null when there is none.'),
    spread: orNull(Type.Number(), 'Best ask minus best bid; null when a side is empty.'),
    mid: orNull(Type.Number(), 'Mean of best bid and ask; null when a side is empty.'),
    depth: Type.Object(
      { bidUsd: number('Value of all bids in USD.'), askUsd: number('Value of all asks in USD.') },
      { description: 'How much stands in the book.' },
    ),
    ts: timeMs('When the book was taken, by the venue.'),
    eventPrice: orNull(
      Type.Number(),
      'Price of the outcome according to its event; null when the event is not known or too old.',
    ),
    stuck: orNull(
      flag('Whether the book contradicts it.'),
      'True when the book cannot be what is traded, by `eventPrice` and the spread of the event: more than 0.1 away from the one (of a book that did not change for 5 minutes: more than that spread and 0.01), more than 0.2 wider than the other, or crossed. Null when there is nothing to compare with: no event, or a book wider than 0.2 and no known spread.',
    ),
  },
  {
    tokenId: '7132110459921',
    bids: [[0.41, 1_200]],
    asks: [[0.43, 800]],
    bestBid: 0.41,
    bestAsk: 0.43,
    spread: 0.02,
    mid: 0.42,
    depth: { bidUsd: 492, askUsd: 344 },
    ts: 1_790_000_000_000,
    eventPrice: 0.42,
    stuck: false,
  },
);
