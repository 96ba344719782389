import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { count, flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

export const RawTrade = resource(
  'RawTrade',
  'A recorded trade of the primary venue. Price and size read exactly as the venue wrote them.',
  {
    ts: timeMs('Tape time, which never decreases.'),
    price: number('Price in USD.', { minimum: 0 }),
    size: number('Size in units of the coin.', { minimum: 0 }),
    side: choice(['buy', 'sell'], { description: "The taker's side." }),
    tid: Type.Integer({ description: "The venue's id; with `ts` it names the trade." }),
    venueTs: Type.Optional(
      timeMs("The venue's time, where it is another than the tape's: older, or too far ahead to be true."),
    ),
    recvMs: Type.Optional(
      orNull(
        Type.Integer({ minimum: 0 }),
        'With `recv=1`: when the service received the trade, in milliseconds since the Unix epoch. Null for trades recorded without it.',
      ),
    ),
  },
  { ts: 1_790_000_000_123, price: 105_931.5, size: 0.0012, side: 'buy', tid: 881_203_113_290_411 },
);

export const TradeChunk = resource(
  'TradeChunk',
  'A stretch of the tape as it is stored: one gzip member; docs/formats.md describes its layout.',
  {
    startTs: timeMs('First trade.'),
    endTs: timeMs('Last trade. A millisecond is never split between chunks.'),
    trades: count('Number of trades, those outside the range included.'),
    bytes: count('Length of `data` when decoded.'),
    data: text('The gzip member in base64.'),
    ids: Type.Optional(text('With `ids=1`: the gzip member with the ids of the trades, in base64.')),
    recv: Type.Optional(
      text(
        'With `recv=1`: the gzip member with the receive times of the trades, in base64. Absent where none is known.',
      ),
    ),
  },
  {
    startTs: 1_789_999_000_004,
    endTs: 1_790_000_000_123,
    trades: 8_192,
    bytes: 31_204,
    data: 'H4sIAAAAAAAAAwMAAAAAAAAAAAA=',
    ids: 'H4sIAAAAAAAAAwMAAAAAAAAAAAA=',
  },
);

export const TradePage = resource(
  'TradePage',
  'Whole chunks with any trade in the range; the reader leaves out what lies outside.',
  {
    coin: text('Ticker of the coin.'),
    version: count('Version of the chunk format.'),
    chunks: Type.Array(TradeChunk, { description: 'Oldest first; the newest may still be growing.' }),
    market: Type.Optional(text('With `market`: its id.')),
    unit: Type.Optional(
      Type.Object(
        {
          contractSize: number('Coins of the venue in one unit of the sizes.', { minimum: 0 }),
          scale: number('Coins of the venue in one `coin`.', { minimum: 0 }),
          quote: text('Currency of the prices.'),
        },
        {
          description:
            'With `market`, of another venue: the chunks keep its own numbers. Size × contractSize ÷ scale counts coins, price × scale is the price of one. A page ends where the venue changed it.',
        },
      ),
    ),
  },
  {
    coin: 'BTC',
    version: 1,
    chunks: [
      {
        startTs: 1_789_999_000_004,
        endTs: 1_790_000_000_123,
        trades: 8_192,
        bytes: 31_204,
        data: 'H4sIAAAAAAAAAwMAAAAAAAAAAAA=',
      },
    ],
  },
);

const gapStates = '`missing`: trades are lost; `partial`: some may be; `refilled`: they were fetched again';

export const gapFields = {
  method: Type.Optional(
    choice(['count', 'socket'], {
      description: 'With `market`: known by the numbers of its trades, or by when the socket was up.',
    }),
  ),
  missing: Type.Optional(count('With method `count`: how many trades are missing.')),
  late: Type.Optional(
    flag(
      'True when no trade is missing, but trades of this minute arrived late, or late trades are recorded in it.',
    ),
  ),
};

export const TapeHole = resource(
  'TapeHole',
  'An interval without a connected feed.',
  {
    from: timeMs('Start.'),
    to: timeMs('End, not included.'),
    state: choice(['missing', 'partial', 'refilled'], { description: `${gapStates}.` }),
    reason: text('What happened.'),
    ...gapFields,
  },
  {
    from: 1_789_950_000_000,
    to: 1_789_950_004_000,
    state: 'refilled',
    reason: 'no socket to the venue was up',
  },
);

export const CoverageStretch = resource(
  'CoverageStretch',
  'A stretch of the tape of one state.',
  {
    from: timeMs('Start.'),
    to: timeMs('End, not included.'),
    state: choice(['complete', 'refilled', 'partial', 'missing'], {
      description: `\`complete\`: the feed was up; ${gapStates}.`,
    }),
    reason: Type.Optional(text('Why it is not complete; of several in a row, each once.')),
    method: gapFields.method,
    recordedTrades: Type.Optional(
      count('With `market`: trades recorded in it. Of OKX, one may be several fills of one order and price.'),
    ),
    expectedTrades: Type.Optional(
      count(
        'With method `count`: `recordedTrades` and the missing ones by their numbers. OKX numbers fills.',
      ),
    ),
  },
  { from: 1_789_913_600_000, to: 1_789_950_000_000, state: 'complete' },
);

/** Meta of data read from the tape. */
export const recordingMeta = {
  recordingSince: Type.Optional(
    timeMs('When what is kept of the tape begins; absent while there is nothing.'),
  ),
};
