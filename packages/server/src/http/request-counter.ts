/** Counts responses by route and status. Routes are a fixed list, so there are few counters. */
export class RequestCounter {
  readonly #byRoute = new Map<string, Map<number, number>>();

  /** The counts of one route, for frequent callers. */
  of(route: string): Map<number, number> {
    let counts = this.#byRoute.get(route);
    if (!counts) this.#byRoute.set(route, (counts = new Map()));
    return counts;
  }

  *entries(): Generator<{ readonly route: string; readonly status: number; readonly count: number }> {
    for (const [route, counts] of this.#byRoute) {
      for (const [status, count] of counts) yield { route, status, count };
    }
  }
}

export function countOne(counts: Map<number, number>, status: number): void {
  counts.set(status, (counts.get(status) ?? 0) + 1);
}
