import type { OptionTables, TableName } from './records.ts';
import type { VenueIdentity } from './venue-identity.ts';

export const capabilities = ['oi', 'funding', 'spot', 'liquidations', 'options', 'predictions'] as const;
/** Something that a venue supplies. */
export type Capability = (typeof capabilities)[number];

export const marketKinds = ['perp', 'spot', 'option', 'prediction'] as const;
export type MarketKind = (typeof marketKinds)[number];

/**
 * Where the markets of one kind are listed: in a table of the venue itself, or of a part of it under another address.
 */
export interface MarketList {
  readonly kind: MarketKind;
  /** The publisher of the table. */
  readonly publisher: string;
  readonly table: Extract<TableName, 'instruments' | 'spotTickers' | keyof OptionTables | 'predictions'>;
}

/** A venue and everything that it supplies, from any source. */
export interface CatalogVenue extends VenueIdentity {
  /** `planned`: known by name only. */
  readonly status: 'live' | 'planned';
  readonly supplies: ReadonlySet<Capability>;
  readonly lists: readonly MarketList[];
  /** Hosts requested when live. */
  readonly hosts: readonly string[];
}
