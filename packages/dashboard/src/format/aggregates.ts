/** Prefixes of aggregate ids: every recorded perpetual of a coin, every spot pair, or both. */
export const aggregates = {
  perp: 'All perpetuals',
  spot: 'All spot pairs',
  all: 'All markets',
} as const;

/** Whether an id is an aggregate: `perp:BTC`. */
export function isAggregate(id: string): boolean {
  return id.slice(0, id.indexOf(':')) in aggregates;
}
