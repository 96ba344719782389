import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import { type CoinIndex, indexCoins } from './coins.ts';
import type { Context } from '../context.ts';

const RETRY_AFTER_SECONDS = 5;

/** Made once for each list. */
const indexes = new WeakMap<readonly { readonly coin: string }[], CoinIndex>();

function indexOf(rows: readonly { readonly coin: string }[]): CoinIndex {
  const known = indexes.get(rows);
  if (known) return known;
  const made = indexCoins(rows.map(({ coin }) => coin));
  indexes.set(rows, made);
  return made;
}

/** The coin of the primary venue that a caller means by `text`; `not_found` when there is none. */
export async function knownCoin(context: Context, text: string): Promise<string> {
  const { bus, primaryVenue } = context.resources;
  const topic = snapshotTopic(primaryVenue, 'instruments');
  await context.waitUntil(() => bus.latest(topic) !== undefined, [topic]);
  const instruments = context.latest(topic);
  if (!instruments) {
    throw new Failure('upstream_unavailable', `${primaryVenue} has not listed its coins yet.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      meta: { source: context.label([primaryVenue]) },
    });
  }
  const coin = indexOf(instruments.rows).find(text);
  if (coin === undefined) throw new Failure('not_found', `Coin ${text} is not known on ${primaryVenue}.`);
  return coin;
}
