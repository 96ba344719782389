import { Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import { servedStats } from '../rotation-job.ts';
import { RotationJob } from '../schema.ts';
import { endpoint } from '../../context.ts';

export const perpsRotationsJob = endpoint({
  path: '/perps/rotations/job',
  summary: 'Build status',
  description: 'Status of a build. Jobs are retained for one hour after they end.',
  query: Type.Object({
    id: Type.String({
      pattern: '^[\\w-]{1,64}$',
      allowed: 'the `jobId` of a build',
      description: 'The `jobId` that the build was given.',
      examples: ['b-mg5zi8ow-14f2a9c'],
    }),
  }),
  data: RotationJob,
  cacheSeconds: 0,
  examples: [{ summary: 'A build', search: 'id=b-mg5zi8ow-14f2a9c' }],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ id }, context) {
    const { rotations, primaryVenue } = context.resources;
    const job = await rotations.job(id);
    if (!job) {
      throw new Failure(
        'not_found',
        `There is no job ${id}; jobs are kept for an hour after they have ended.`,
      );
    }
    const { stats, ...rest } = job;
    const data = { ...rest, ...(stats && { stats: servedStats(stats) }) };
    return { data, meta: { fetchedAt: job.submittedAt, source: context.label([primaryVenue]) } };
  },
});
