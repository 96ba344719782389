import { type Static, Type } from 'typebox';
import { number, text } from '../../../http/field.ts';
import { choice } from '../../../http/parameter.ts';
import { type CheckedField, suspectsTopic } from '../../../topics.ts';
import type { Context } from '../../context.ts';

/** For endpoints whose figures are compared among the venues. */
export const suspectMeta = {
  suspect: Type.Optional(
    Type.Array(
      Type.Object({
        venue: text('Venue id.'),
        coin: text('Ticker.'),
        field: choice(['openInterest', 'funding', 'mark'], { description: 'Name of the figure.' }),
        value: number('As it was when it was first suspect: dollars, rate per hour, or price.'),
        median: number('Median of the other venues at the same time.'),
        reason: text('Why it is suspect.'),
      }),
      {
        description:
          'Figures of this answer that are further from the other venues than their own history explains. They are served as the venue reports them.',
      },
    ),
  ),
};

type SuspectRow = NonNullable<Static<typeof suspectMeta.suspect>>[number];

/** `meta.suspect` of an answer with these rows; absent if none is suspect. */
export function suspectsAmong(
  context: Context,
  field: CheckedField,
  rows: readonly { readonly venue: string; readonly coin: string }[],
): { suspect?: SuspectRow[] } {
  const all = context.latest(suspectsTopic)?.filter((one) => one.field === field) ?? [];
  if (all.length === 0) return {};
  const shown = new Set(rows.map(({ venue, coin }) => `${venue} ${coin}`));
  const suspect = all.filter(({ venue, coin }) => shown.has(`${venue} ${coin}`));
  return suspect.length === 0 ? {} : { suspect: [...suspect] };
}
