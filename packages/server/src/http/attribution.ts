import type { SourceTerms } from '@crosstape/core';
import { Type } from 'typebox';
import { sourcePrefix } from '../platform/upstream-mode.ts';
import type { Resources } from './request-context.ts';
import type { EnvelopeReply } from './endpoint.ts';
import { text } from './field.ts';

/** Credits that the terms of sources require. */
export const Attribution = Type.Array(
  Type.Object({
    source: text('Id of the source.'),
    text: text('Credit text to display.'),
    url: text('URL the credit text must link to.'),
  }),
);

/** Credits of the sources whose terms require one; `undefined` if there are none. */
export function attributionOf(sources: readonly SourceTerms[], ids: ReadonlySet<string>) {
  const credits = sources.flatMap(({ id, credit }) =>
    credit && ids.has(id) ? [{ source: id, ...credit }] : [],
  );
  return credits.length === 0 ? undefined : credits;
}

/** The reply with `meta.attribution`: the credit of every source in `meta.source` whose terms require one. */
export function withAttribution(
  reply: EnvelopeReply,
  { sources, upstream }: Pick<Resources, 'sources' | 'upstream'>,
): EnvelopeReply {
  const prefix = sourcePrefix(upstream);
  const ids = new Set(reply.meta.source.split('+').map((name) => name.slice(prefix.length)));
  const attribution = attributionOf(sources, ids);
  return attribution ? { ...reply, meta: { ...reply.meta, attribution } } : reply;
}
