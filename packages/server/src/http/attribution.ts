import { sourcePrefix } from '../platform/upstream-mode.ts';
import type { Resources } from './request-context.ts';
import type { EnvelopeReply } from './endpoint.ts';

/** The reply with `meta.attribution`: the credit of every source in `meta.source` whose terms ask for one. */
export function withAttribution(
  reply: EnvelopeReply,
  { sources, upstream }: Pick<Resources, 'sources' | 'upstream'>,
): EnvelopeReply {
  const prefix = sourcePrefix(upstream);
  const names = new Set(reply.meta.source.split('+').map((name) => name.slice(prefix.length)));
  const attribution = sources.flatMap(({ id, credit }) =>
    credit && names.has(id) ? [{ source: id, ...credit }] : [],
  );
  return attribution.length === 0 ? reply : { ...reply, meta: { ...reply.meta, attribution } };
}
