import { Type } from 'typebox';
import { channel, market, serverFrame, symbol, type } from '../../gateway/server-frames.ts';
import { text, timeMs } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';
import { gapFields, TapeHole } from './schema.ts';

const CaughtUpFrame = serverFrame(
  'Of a subscription with `since`: all recorded trades or candles have been sent, and live ones follow.',
  {
    type: type('caughtUp'),
    channel,
    symbol,
    market,
    interval: Type.Optional(text('Of `candles`: length of a bar.')),
    seq: Type.Integer({
      description:
        'Of the last message published: the next trade is one more, the candle in progress has the same.',
    }),
    gaps: Type.Array(TapeHole, { description: 'Where trades are or may be missing since `since`.' }),
  },
  { type: 'caughtUp', channel: 'trades', symbol: 'BTC', seq: 1_000_000_311, gaps: [] },
);

const GapFrame = serverFrame(
  'Of `trades`, as soon as it is known: an interval of the tape whose trades are or may be missing, or had to be fetched again.',
  {
    type: type('gap'),
    channel,
    symbol,
    market,
    from: timeMs('Everything is known up to here.'),
    to: timeMs('Everything is known again from here.'),
    state: choice(['refilled', 'partial', 'missing'], {
      description:
        '`refilled`: nothing is missing; `partial`: something may be; `missing`: nothing is known.',
    }),
    reason: text('Why.'),
    late: gapFields.late,
  },
  {
    type: 'gap',
    channel: 'trades',
    symbol: 'BTC',
    from: 1_790_000_000_000,
    to: 1_790_000_012_500,
    state: 'missing',
    reason: 'no socket to the venue was up',
  },
);

/** Frames of the gateway's `trades` besides data, by name. */
export const tapeFrames = { caughtUp: CaughtUpFrame, gap: GapFrame } as const;
