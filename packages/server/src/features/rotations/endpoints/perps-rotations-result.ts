import { BAR_JSON_BYTES_MIN } from '@crosstape/core';
import { Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import { JSON_BYTES_MAX, printBarsTask } from '../print-bars.ts';
import { SerializedJson } from '../../../http/endpoint.ts';
import { choice, defaulted } from '../../../http/parameter.ts';
import { PackedResult, RotationResult } from '../schema.ts';
import { type Context, endpoint } from '../../context.ts';

export const perpsRotationsResult = endpoint({
  path: '/perps/rotations/result',
  summary: 'Built bars',
  description: `The result of a build: bars, the bar in progress, the state to carry on from, and what it was made from. \`packed\` is the gzipped pack itself, or with \`Accept: application/json\` the pack in base64 within the envelope. \`json\` is refused above ${JSON_BYTES_MAX} bytes. A result is kept for about 24 hours.`,
  query: Type.Object({
    key: Type.String({
      pattern: '^rot:res:[0-9a-f]{1,64}$',
      allowed: 'the `resultKey` of a job',
      description: 'The `resultKey` of the job.',
      examples: ['rot:res:4f2a9c'],
    }),
    format: defaulted(
      choice(['packed', 'json'], { description: 'The pack, or decoded bars.', examples: ['json'] }),
      'packed',
    ),
  }),
  data: Type.Union([PackedResult, RotationResult], {
    description: '`packed`: the pack in base64; `json`: decoded bars.',
  }),
  octets: 'The gzipped result pack; docs/formats.md describes its layout.',
  cacheSeconds: 0,
  examples: [
    { summary: 'The pack', search: 'key=rot:res:4f2a9c' },
    { summary: 'Decoded', search: 'key=rot:res:4f2a9c&format=json' },
  ],
  errors: ['not_found', 'too_large', 'upstream_unavailable'],
  async handle({ key, format }, context) {
    const { rotations, primaryVenue } = context.resources;
    // Known without decoding, while the job is kept.
    if (format === 'json' && (rotations.barsOf(key) ?? 0) * BAR_JSON_BYTES_MIN > JSON_BYTES_MAX)
      throw tooLarge();
    const source = context.label([primaryVenue]);
    const found = await rotations.findResult(key);
    if (!found) throw noResult(key);
    if (format === 'json') {
      // A pack is smaller than its JSON: one that is larger need not be read, and many could wait to be printed.
      if (found.bytes > JSON_BYTES_MAX) throw tooLarge();
      const result = await rotations.result(key);
      if (!result) throw noResult(key);
      return { data: await print(context, result.pack), meta: { fetchedAt: result.endedAtMs, source } };
    }
    const isBase64 = prefersJson(context.requester.accept);
    const blob = { bytes: found.bytes, tag: key, isBase64, stream: () => found.stream() };
    return { blob, meta: { fetchedAt: found.storedAtMs, source } };
  },
});

async function print(context: Context, pack: Uint8Array): Promise<SerializedJson> {
  const printed = await context.work(printBarsTask, pack);
  if ('json' in printed) return new SerializedJson(printed.json);
  throw tooLarge();
}

function noResult(key: string): Failure {
  return new Failure(
    'not_found',
    `There is no result ${key}: its build is not done, or it was more than 24 hours ago.`,
  );
}

function tooLarge(): Failure {
  return new Failure(
    'too_large',
    `The result is larger than ${JSON_BYTES_MAX} bytes as JSON; ask for it with \`format=packed\`.`,
  );
}

/** Whether an `Accept` header prefers JSON over bytes (RFC 9110 §12.5.1); default: bytes. */
function prefersJson(accept: string): boolean {
  const weights = new Map<string, number>();
  for (const entry of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, Number(q) || 0);
  }
  return (weights.get('application/json') ?? 0) > (weights.get('application/octet-stream') ?? 0);
}
