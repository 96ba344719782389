/** A query value; `undefined` ones are left out. */
export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** The base URL of the service, without a trailing slash. */
export function rootOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * The URL of a path below the service's root. A plural name takes a comma-separated list (`coins=BTC,ETH`), a singular
 * one is repeated (`coin=BTC&coin=ETH`).
 */
export function addressOf(root: string, path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (!isList(value)) search.set(name, String(value));
    else if (name.endsWith('s')) search.set(name, value.join(','));
    else for (const one of value) search.append(name, String(one));
  }
  const text = search.toString();
  return `${root}/api/v1${path}${text === '' ? '' : `?${text}`}`;
}

function isList(value: QueryValue): value is readonly (string | number)[] {
  return Array.isArray(value);
}
