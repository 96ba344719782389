import type { Publisher } from '@crosstape/venues';
import type { Resolved } from './read-settings.ts';

/** A shorter path would match other text by chance. */
const PATH_CHARS_MIN = 8;
/** A part of an address that is this long can be a key. */
const KEY_CHARS_MIN = 16;
const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * What logs, crash reports and captures must not contain: the values of secret settings, and addresses set by the
 * operator. A private endpoint can have its key in its path, its query or the name of its host.
 */
export function secretsOf({ settings, rows }: Resolved, publishers: readonly Publisher[]): readonly string[] {
  const values = rows.flatMap(({ setting, value }) =>
    setting.isSecret && typeof value === 'string' ? [value] : [],
  );
  const known = new Set(
    publishers.flatMap(({ connector }) =>
      connector ? [connector.origins.rest, connector.origins.ws, ...(connector.otherRest ?? [])] : [],
    ),
  );
  const hosts = new Set(
    [...known].filter((address) => address !== '').map((address) => new URL(address).host),
  );
  const addresses = publishers
    .flatMap(({ id }) => Object.values(settings.origins[id] ?? {}))
    .filter((address) => !known.has(address));
  return [...values, ...addresses.flatMap((address) => partsOf(address, hosts))];
}

function partsOf(address: string, knownHosts: ReadonlySet<string>): readonly string[] {
  const { host, hostname, username, pathname, searchParams } = new URL(address);
  if (LOCAL_HOST.test(hostname)) return [];
  const isKnown = knownHosts.has(host) && username === '';
  const parts = [...pathname.split('/'), ...searchParams.values()];
  return [
    ...(isKnown ? [] : [address, host]),
    ...(pathname.length >= PATH_CHARS_MIN ? [pathname] : []),
    ...parts.filter((part) => part.length >= KEY_CHARS_MIN),
  ];
}
