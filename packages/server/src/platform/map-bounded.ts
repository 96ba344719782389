/** Maps every item with an asynchronous function, at most `atATime` of them at once; results in the order of the items. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  atATime: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async (): Promise<void> => {
    for (const [i, item] of rest) results[i] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, work));
  return results;
}
