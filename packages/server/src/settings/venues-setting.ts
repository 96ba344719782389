import { marketPrefixOf, primaryVenue, spotVenues, venues } from '@crosstape/venues';
import { isPrimaryOnly } from '../platform/market-choice.ts';
import { readRecordMarkets } from './record-markets.ts';
import type { Setting } from './setting.ts';
import type { Settings } from './settings.ts';

/** Every name of a venue with markets, and the prefix of its market ids. */
const names: ReadonlyMap<string, string> = new Map(
  [...venues, ...spotVenues].flatMap((venue) => {
    const aliases = 'aliases' in venue ? venue.aliases : [];
    return [marketPrefixOf(venue), venue.id, ...aliases].map(
      (name) => [name, marketPrefixOf(venue)] as const,
    );
  }),
);

export const venuesSetting = {
  name: 'venues',
  flag: 'venues',
  variable: 'VENUES',
  fallback: undefined,
  allowed: `venues separated by commas, of ${[...new Set(names.values())].join(', ')}`,
  help: 'role ingest on Redis: whose markets this ingester records, where several share them out; unset: all',
  read(text: string) {
    const read = text.split(',').map((name) => names.get(name.trim().toLowerCase()));
    if (read.includes(undefined)) return undefined;
    return [...new Set(names.values())].filter((name) => read.includes(name)).join(',');
  },
} satisfies Setting<string | undefined>;

/** Venues that this process records; `undefined`: all. */
export function readVenues({ venues: text }: Pick<Settings, 'venues'>): readonly string[] | undefined {
  return text?.split(',');
}

/** Whether this process has the primary venue, and with it everything that exists once per service. */
export function hasPrimaryVenue(settings: Pick<Settings, 'venues'>): boolean {
  return readVenues(settings)?.includes(primaryVenue.id) ?? true;
}

/** Why the venues cannot be divided as configured. */
export function venuesProblem(
  settings: Pick<Settings, 'venues' | 'role' | 'redis' | 'recordMarkets'>,
): string | undefined {
  const { venues: text, role, redis, recordMarkets } = settings;
  if (text === undefined) return undefined;
  if (redis === undefined) return '--venues is for ingesters that share a Redis; give --redis as well';
  if (role !== 'ingest') return `--venues is for --role ingest; this process is ${role}`;
  const choice = readRecordMarkets(recordMarkets);
  if (!hasPrimaryVenue(settings) && choice && isPrimaryOnly(choice))
    return `--venues ${text} would record nothing: --record-markets is primary; give top:20, or market ids`;
  return undefined;
}
