import type { Health } from '@crosstape/client';

/** Shorter failures are reconnects. */
const SHORT_MS = 5_000;

/** Publishers whose feeds all fail, with their names: `binance` → `Binance`. */
export function failingPublishers({ failing = [] }: Pick<Health, 'failing'>): ReadonlyMap<string, string> {
  return new Map(
    failing
      .filter(({ partial, forMs }) => !partial && forMs >= SHORT_MS)
      .flatMap(({ name, feeds }) => feeds.map((feed) => [feed.slice(0, feed.indexOf(':')), name] as const)),
  );
}

/** Failures in the newest health of the service. */
class Failing {
  publishers = $state.raw<ReadonlyMap<string, string>>(new Map());
}

export const failing = new Failing();
