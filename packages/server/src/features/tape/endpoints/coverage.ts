import { Type } from 'typebox';
import { chosenTape, feedOf, marketParameter } from '../../market-tape/chosen-tape.ts';
import { coverageRows } from '../../market-tape/coverage-rows.ts';
import { coinName, endParameter, startParameter } from '../../../http/parameter.ts';
import { readTapeRange } from '../tape-range.ts';
import { CoverageStretch, recordingMeta } from '../schema.ts';
import { tapeMeta } from '../tape-meta.ts';
import { endpoint } from '../../context.ts';

/** The present moves: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 1_000;

export const coverage = endpoint({
  path: '/coverage',
  summary: 'Tape coverage',
  description:
    'The recorded tape of a coin as intervals of one state each, without gaps between them. Completeness comes from when the feed was up; with `market` and method `count`, from the numbers of its trades. The future is not covered.',
  query: Type.Object({
    coin: Type.Optional(
      coinName({ description: 'Ticker, in any case. Required without `market`.', examples: ['BTC'] }),
    ),
    market: marketParameter,
    from: startParameter('Start in milliseconds since the Unix epoch. Omitted: 24 hours before now.'),
    to: endParameter(),
  }),
  data: Type.Array(CoverageStretch),
  meta: recordingMeta,
  cacheSeconds: 10,
  examples: [{ summary: 'The last 24 hours of Bitcoin', search: 'coin=BTC' }],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { from, to } = readTapeRange(context, { from: query.from, to: query.to });
    const chosen = await chosenTape(context, query);
    const { secondary } = chosen;
    return {
      data: [...(await coverageRows(chosen, from, to))],
      meta: await tapeMeta(context, { toMs: to, of: secondary && feedOf(secondary.market) }),
      validUntilMs: context.nowMs + REUSE_MS,
    };
  },
});
