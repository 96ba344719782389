/** What is listed: its key and size, when it was made, and its content tag. */
export interface LakeObject {
  readonly key: string;
  readonly bytes: number;
  readonly madeAtMs: number;
  readonly md5: string;
}

export interface ListQuery {
  readonly prefix: string;
  /** Keys are joined up to it behind the prefix; empty: not at all. */
  readonly delimiter: string;
  /** Only what comes after this key, or after everything under this common prefix. */
  readonly after: string;
  readonly limit: number;
}

export interface Listing {
  readonly objects: readonly LakeObject[];
  readonly prefixes: readonly string[];
  /** Where the next page continues; `undefined` at the end. */
  readonly next?: string;
}

/** A page of objects, which are in the order of their keys. */
export function listObjects(all: readonly LakeObject[], query: ListQuery): Listing {
  const { prefix, delimiter, after, limit } = query;
  const objects: LakeObject[] = [];
  const prefixes: string[] = [];
  let last = '';
  for (let i = firstAt(all, prefix > after ? prefix : after); i < all.length; i += 1) {
    const object = all[i] as LakeObject;
    const { key } = object;
    if (!key.startsWith(prefix)) break;
    if (key === after) continue;
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const common = cut < 0 ? undefined : key.slice(0, cut + delimiter.length);
    if (common !== undefined && (common === after || common === last)) continue;
    if (objects.length + prefixes.length >= limit) return { objects, prefixes, next: last };
    if (common === undefined) objects.push(object);
    else prefixes.push(common);
    last = common ?? key;
  }
  return { objects, prefixes };
}

/** Index of the first key that is not less. */
function firstAt(all: readonly LakeObject[], key: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((all[middle] as LakeObject).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
