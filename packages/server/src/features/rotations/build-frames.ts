import { type Static, Type } from 'typebox';
import { frameIdField, opField } from '../../gateway/client-frames.ts';
import { id, serverFrame, type } from '../../gateway/server-frames.ts';
import { count, flag, number, text } from '../../http/field.ts';
import { choice } from '../../http/parameter.ts';
import { rotationFields } from './rotation-fields.ts';
import { RotationStats } from './schema.ts';

export const BuildFrame = Type.Object(
  {
    op: opField('build'),
    id: frameIdField,
    ...rotationFields,
  },
  {
    additionalProperties: false,
    examples: [{ op: 'build', id: 7, coin: 'BTC', kind: 'range', params: { rangeTicks: 20 }, days: 1 }],
  },
);

const BuildAcceptedFrame = serverFrame(
  'A build is queued, or one of the last 5 minutes is used again.',
  {
    type: type('build:accepted'),
    id,
    jobId: text('Id of the job.'),
    cacheKey: text('Key under which the result will be found.'),
    cached: flag('Whether an identical build is used again.'),
  },
  { type: 'build:accepted', id: 7, jobId: 'b-8f2k1', cacheKey: 'rot:res:4f2a9c', cached: false },
);

const BuildProgressFrame = serverFrame(
  'Build progress, at most ten times a second.',
  {
    type: type('build:progress'),
    id,
    pct: number('Progress, 0 to 1.', { minimum: 0, maximum: 1 }),
    trades: count('Trades read so far.'),
    totalTrades: count('Trades to read.'),
    bars: count('Bars closed so far.'),
  },
  { type: 'build:progress', id: 7, pct: 0.4, trades: 481_732, totalTrades: 1_204_331, bars: 301 },
);

const BuildDoneFrame = serverFrame(
  'A build is done: `GET /perps/rotations/result?key=…` gives the bars.',
  {
    type: type('build:done'),
    id,
    resultKey: text('Key of the result.'),
    stats: RotationStats,
    cached: flag('Whether an identical build was used again.'),
  },
  {
    type: 'build:done',
    id: 7,
    resultKey: 'rot:res:4f2a9c',
    stats: (RotationStats as unknown as { examples: [Static<typeof RotationStats>] }).examples[0],
    cached: false,
  },
);

/** Codes of a failed build. */
export const buildErrorCodes = [
  'build_failed',
  'bad_request',
  'rate_limited',
  'unknown_symbol',
  'internal',
] as const;

const BuildErrorFrame = serverFrame(
  'A build was rejected or failed.',
  {
    type: type('build:error'),
    id,
    code: choice(buildErrorCodes, { description: '`build_failed`: the build was accepted and failed.' }),
    message: text('Error message.'),
  },
  { type: 'build:error', id: 7, code: 'bad_request', message: 'Field `params.rangeTicks` must be given.' },
);

/** Frames that answer a build, by name. */
export const buildFrames = {
  buildAccepted: BuildAcceptedFrame,
  buildProgress: BuildProgressFrame,
  buildDone: BuildDoneFrame,
  buildError: BuildErrorFrame,
} as const;

export type BuildResponse = {
  [Name in keyof typeof buildFrames]: Static<(typeof buildFrames)[Name]>;
}[keyof typeof buildFrames];
