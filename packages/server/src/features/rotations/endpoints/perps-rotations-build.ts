import { allowedText, barKinds } from '@crosstape/core';
import { Type } from 'typebox';
import { BUILD_COST } from '../../../platform/quota.ts';
import { membersOf } from '../../candles/members.ts';
import { chosenOrSeveral } from '../../market-tape/chosen-tape.ts';
import { rotationFields } from '../rotation-fields.ts';
import { RotationBuild } from '../schema.ts';
import { endpoint } from '../../context.ts';

/** One line per kind: its rule, and its parameters with their allowed values. */
const kinds = barKinds
  .map(({ name, summary, params }) => {
    const words = params.map((param) => {
      const otherwise = param.default === undefined ? 'required' : `default ${param.default}`;
      return `\`${param.name}\` (${allowedText(param)}; ${otherwise})`;
    });
    return `- \`${name}\`: ${summary} ${words.join(', ')}.`;
  })
  .join('\n');

const RotationRequest = Type.Object(rotationFields, {
  additionalProperties: false,
  examples: [{ coin: 'BTC', kind: 'range', params: { rangeTicks: 20 }, days: 1 }],
});

export const perpsRotationsBuild = endpoint({
  method: 'POST',
  path: '/perps/rotations/build',
  summary: 'Build bars',
  description: `Starts a build of bars from the recorded tape, over the time up to now. An identical build of the last 5 minutes is used again. At most 2 builds of a caller, and 4 of an address, wait or run at a time. A build counts as ${BUILD_COST} requests.\n\n${kinds}`,
  query: Type.Object({}),
  body: RotationRequest,
  data: RotationBuild,
  cacheSeconds: 0,
  cost: BUILD_COST,
  examples: [],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(_query, context, { coin: text, market: id, ...request }) {
    const { rotations, primaryVenue } = context.resources;
    const { coin, market, aggregate } = await chosenOrSeveral(context, 'Field', { coin: text, market: id });
    const members = aggregate && (await membersOf(context, aggregate));
    const venues = members?.map(({ venue }) => venue) ?? [market?.venue ?? primaryVenue];
    const { caller, address } = context.requester;
    const of = { coin, ...(market && { market }), ...(aggregate && { aggregate }) };
    const data = await rotations.submit({ ...request, ...of }, caller, address);
    return { data, meta: { fetchedAt: context.nowMs, source: context.label([...new Set(venues)]) } };
  },
});
