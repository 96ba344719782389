/** The pages of a table, as lmdb counts them. */
export interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** The pages of a file: `root` lists the tables, `free` the free pages. */
export interface EnvironmentStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}

const META_PAGES = 2;

/**
 * Bytes of an lmdb file that no table uses. lmdb never shrinks its file, but fills these pages before it grows. It does
 * not report how many there are; it does report every page in use.
 */
export function freePageBytes(stats: EnvironmentStats, tables: readonly TreeStats[]): number {
  const used = [stats.root, stats.free, ...tables].reduce(
    (sum, { treeBranchPageCount, treeLeafPageCount, overflowPages }) =>
      sum + treeBranchPageCount + treeLeafPageCount + overflowPages,
    META_PAGES,
  );
  return Math.max(0, stats.lastPageNumber + 1 - used) * stats.pageSize;
}
