import {
  type Capability,
  type CatalogVenue,
  type MarketList,
  optionBooks,
  type TableName,
  type VenueIdentity,
} from '@crosstape/core';
import type { Connector, Publisher } from './venue.ts';

const optionTables = optionBooks.map((book) => `${book}Options` as const);

/** The table that says so of a venue; where there are several, any of them. */
const SUPPLIED_BY: readonly (readonly [Capability, TableName])[] = [
  ['oi', 'openInterest'],
  ['funding', 'funding'],
  ['spot', 'spotTickers'],
  ...optionTables.map((table) => ['options', table] as const),
  ['predictions', 'predictions'],
];

/** The feed of a venue that reports its liquidations, and the one from which they are concluded. */
const LIQUIDATIONS = 'liquidations';
const TAPE = 'trades';

/** What venues supply, by what is connected: by themselves, or by parts of them under other addresses. */
export function catalogOf(
  identities: readonly VenueIdentity[],
  publishers: readonly Publisher[],
  primaryVenue: string,
): readonly CatalogVenue[] {
  return identities.map(({ id, name, kind, aliases }) => {
    const parts = publishers.filter((one) => (one.venue ?? one.id) === id);
    const connectors = parts.flatMap(({ connector }) => connector ?? []);
    const reported = new Set(connectors.flatMap(tablesOf));
    const feeds = new Set(connectors.flatMap((connector) => connector.feeds.map((feed) => feed.name)));
    const supplies = new Set(
      SUPPLIED_BY.flatMap(([capability, table]) => (reported.has(table) ? [capability] : [])),
    );
    if (feeds.has(LIQUIDATIONS) || (id === primaryVenue && feeds.has(TAPE))) supplies.add('liquidations');
    return {
      id,
      name,
      kind,
      aliases,
      status: connectors.length > 0 ? 'live' : 'planned',
      supplies,
      lists: parts.flatMap(listsOf),
      hosts: [...new Set(connectors.map(({ origins }) => hostOf(origins.rest)))],
    };
  });
}

function hostOf(origin: string): string {
  return /^https?:\/\/([^/]+)/.exec(origin)?.[1] ?? origin;
}

function tablesOf({ resources, lookups = [] }: Connector): readonly TableName[] {
  return [...resources, ...lookups].flatMap(({ gives }) => gives);
}

/** A spot market that lists its pairs apart from their prices is known by that list. */
function listsOf({ id: publisher, connector }: Publisher): readonly MarketList[] {
  const tables = new Set(connector ? tablesOf(connector) : []);
  const lists: MarketList[] = [];
  if (tables.has('openInterest')) lists.push({ kind: 'perp', publisher, table: 'instruments' });
  if (tables.has('spotTickers'))
    lists.push({ kind: 'spot', publisher, table: tables.has('instruments') ? 'instruments' : 'spotTickers' });
  for (const table of optionTables) if (tables.has(table)) lists.push({ kind: 'option', publisher, table });
  if (tables.has('predictions')) lists.push({ kind: 'prediction', publisher, table: 'predictions' });
  return lists;
}
