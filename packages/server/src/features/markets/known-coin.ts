import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import { type CoinIndex, findCoins, indexCoins } from './coins.ts';
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

/** The primary venue's coin for `text`; `not_found` if there is none. */
export async function knownCoin(context: Context, text: string): Promise<string> {
  const rows = await listedRows(context);
  const coin = indexOf(rows).find(text);
  if (coin === undefined)
    throw new Failure('not_found', `Coin ${text} is not known on ${context.resources.primaryVenue}.`);
  return coin;
}

/** The primary venue's coins that a caller lists, or all; `not_found` if none of the list is known. */
export async function knownCoins(
  context: Context,
  texts: readonly string[] | undefined,
): Promise<ReturnType<typeof findCoins>> {
  const rows = await listedRows(context);
  if (!texts) return { coins: [...new Set(rows.map(({ coin }) => coin))], unknown: [] };
  const found = findCoins(indexOf(rows), texts);
  if (found.coins.length > 0) return found;
  throw new Failure(
    'not_found',
    `None of the requested coins is known on ${context.resources.primaryVenue}.`,
    { meta: { unknown: [...found.unknown] } },
  );
}

/** The coins of a list that are among these; `not_found` if none is. */
export function coinsAmong(known: Iterable<string>, texts: readonly string[]): ReturnType<typeof findCoins> {
  const found = findCoins(indexCoins(known), texts);
  if (found.coins.length > 0) return found;
  const which =
    texts.length === 1 ? `Coin ${texts[0]} is not known.` : 'None of the requested coins is known.';
  throw new Failure('not_found', which, { meta: { unknown: found.unknown } });
}

async function listedRows(context: Context): Promise<readonly { readonly coin: string }[]> {
  const { bus, primaryVenue } = context.resources;
  const topic = snapshotTopic(primaryVenue, 'instruments');
  await context.waitUntil(() => bus.latest(topic) !== undefined, [topic]);
  const instruments = context.latest(topic);
  if (instruments) return instruments.rows;
  throw new Failure('upstream_unavailable', `${primaryVenue} has not listed its coins yet.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    meta: { source: context.label([primaryVenue]) },
  });
}
