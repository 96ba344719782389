import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import { indexCoins } from './coins.ts';
import type { Context } from '../context.ts';

const RETRY_AFTER_SECONDS = 5;

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
  const coin = indexCoins(instruments.rows.map((row) => row.coin)).find(text);
  if (coin === undefined) throw new Failure('not_found', `Coin ${text} is not known on ${primaryVenue}.`);
  return coin;
}
