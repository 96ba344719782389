/** A listed object: its key and size, when it was made, and its content tag. */
export interface LakeObject {
  readonly key: string;
  readonly bytes: number;
  readonly madeAtMs: number;
  readonly md5: string;
}

export interface ListQuery {
  readonly prefix: string;
  /** Keys are grouped up to it after the prefix; empty: no grouping. */
  readonly delimiter: string;
  /** Start after this key, or after everything under this common prefix. */
  readonly after: string;
  readonly limit: number;
}

export interface Listing {
  readonly objects: readonly LakeObject[];
  readonly prefixes: readonly string[];
  /** Where the next page continues; `undefined` at the end. */
  readonly next?: string;
}

/** A page of objects in key order. Objects under a common prefix are skipped at once. */
export function listObjects(all: readonly LakeObject[], query: ListQuery): Listing {
  const { prefix, delimiter, after, limit } = query;
  const objects: LakeObject[] = [];
  const prefixes: string[] = [];
  let last = '';
  let i = firstAt(all, prefix > after ? prefix : after);
  while (i < all.length) {
    const object = all[i] as LakeObject;
    const { key } = object;
    if (!key.startsWith(prefix)) break;
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const common = cut < 0 ? undefined : key.slice(0, cut + delimiter.length);
    const name = common ?? key;
    if (key !== after && name !== after) {
      if (objects.length + prefixes.length >= limit) return { objects, prefixes, next: last };
      if (common === undefined) objects.push(object);
      else prefixes.push(common);
      last = name;
    }
    i = common === undefined || key === after ? i + 1 : firstBehind(all, common);
  }
  return { objects, prefixes };
}

/** Index of the first key that is not less. */
export function firstAt(all: readonly { readonly key: string }[], key: string): number {
  return firstWhere(all, (one) => one >= key);
}

/** Index of the first key behind all that begin with this. */
function firstBehind(all: readonly LakeObject[], prefix: string): number {
  return firstWhere(all, (one) => one > prefix && !one.startsWith(prefix));
}

/** Index of the first key for which this is true, and remains true for all that follow. */
function firstWhere(all: readonly { readonly key: string }[], isBehind: (key: string) => boolean): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind((all[middle] as LakeObject).key)) high = middle;
    else low = middle + 1;
  }
  return low;
}
