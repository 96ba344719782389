import { allowedText, barKinds } from '@crosstape/core';
import { Type } from 'typebox';
import { DAYS_DEFAULT, DAYS_MAX } from '../../rotations/rotation-spec.ts';
import { endpoint } from '../endpoint.ts';
import { knownCoin } from '../known-coin.ts';
import { choice, coinName } from '../parameter.ts';
import { RotationBuild } from '../schemas/rotations.ts';

/** One line for each kind: its rule, and its parameters with what they may be. */
const kinds = barKinds
  .map(({ name, summary, params }) => {
    const words = params.map((param) => {
      const otherwise = param.default === undefined ? 'required' : `default ${param.default}`;
      return `\`${param.name}\` (${allowedText(param)}; ${otherwise})`;
    });
    return `- \`${name}\`: ${summary} ${words.join(', ')}.`;
  })
  .join('\n');

const RotationRequest = Type.Object(
  {
    coin: coinName({ description: 'Ticker, in any case.' }),
    kind: choice(
      barKinds.map(({ name }) => name),
      { description: 'Kind of bars.' },
    ),
    params: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
        description: 'Parameters of the kind.',
        allowed: 'an object of numbers and texts',
      }),
    ),
    days: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: DAYS_MAX,
        default: DAYS_DEFAULT,
        description: 'How far back from now; fractions are allowed.',
      }),
    ),
    tick: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description:
          "Price increment in USD, with at most 8 decimals. Omitted: the venue's own at the last price.",
      }),
    ),
    degraded: Type.Optional(
      Type.Boolean({
        description:
          '`true`: from the last 1,000 trades in memory; `false`: never from these. Omitted: from these when the record cannot be read or holds no trade of the window.',
        allowed: 'true or false',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ coin: 'BTC', kind: 'range', params: { rangeTicks: 20 }, days: 1 }],
  },
);

export const perpsRotationsBuild = endpoint({
  method: 'POST',
  path: '/perps/rotations/build',
  summary: 'Build bars',
  description: `Starts a build of bars from the recorded tape, over the time up to now. An identical build of the last 5 minutes is used again. At most 2 builds of a caller wait or run at a time.\n\n${kinds}`,
  query: Type.Object({}),
  body: RotationRequest,
  data: RotationBuild,
  cacheSeconds: 0,
  examples: [],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(_query, context, { coin: text, ...request }) {
    const { rotations, primaryVenue } = context.resources;
    const coin = await knownCoin(context, text);
    const data = await rotations.submit({ ...request, coin }, context.asker.caller);
    return { data, meta: { fetchedAt: context.nowMs, source: context.label([primaryVenue]) } };
  },
});
