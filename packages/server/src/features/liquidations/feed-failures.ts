import type { Static } from 'typebox';
import type { SourceEntry } from '../../http/envelope.ts';
import { healthTopic } from '../../topics.ts';
import type { Context } from '../context.ts';
import { disconnectedMs, isConnectedThroughout, type VenueConnection } from './liquidation-connection.ts';
import { LIQUIDATION_WINDOW_MS } from './liquidation-table.ts';

type Entry = Static<typeof SourceEntry>;

/** Since when the record is complete, if that is less than the window. Disconnected venues are named instead. */
export function wholeSince(
  connections: readonly VenueConnection[],
  forgottenUntilMs: number,
  nowMs: number,
): number | undefined {
  const begins = connections
    .filter((one) => one.isConnected && !isConnectedThroughout(one, nowMs))
    .map(({ spans }) => spans[0]?.from ?? nowMs);
  const sinceMs = connections.length === 0 ? nowMs : Math.max(forgottenUntilMs, ...begins);
  return sinceMs > nowMs - LIQUIDATION_WINDOW_MS ? sinceMs : undefined;
}

/** Until when any of the feeds is known to have been connected. */
export function connectedUntil(connections: readonly VenueConnection[], nowMs: number): number {
  const ends = connections.map(({ isConnected, spans }) => (isConnected ? nowMs : (spans.at(-1)?.to ?? 0)));
  return Math.max(0, ...ends) || nowMs;
}

/** A venue that is not connected now, or was not for a part of the window. */
export function problemOf(connection: VenueConnection, nowMs: number): Entry | undefined {
  const { venue, isConnected, spans } = connection;
  const source = `${venue}:liquidations`;
  const lastMs = spans.at(-1)?.to;
  const ageMs = lastMs === undefined ? null : nowMs - lastMs;
  if (!isConnected)
    return { source, status: 'down', ageMs, error: `The liquidation feed of ${venue} is not connected.` };
  const missingMs = disconnectedMs(connection, nowMs);
  if (missingMs === 0) return undefined;
  const minutes = Math.round(missingMs / 60_000);
  const error = `The liquidation feed of ${venue} was not connected for ${minutes} of the last 1440 minutes.`;
  return { source, status: 'stale', ageMs: 0, error };
}

/** Venues whose feed has never connected. */
export function neverConnected(
  context: Context,
  connections: readonly VenueConnection[],
): readonly { readonly venue: string; readonly entry: Entry }[] {
  const known = new Set(connections.map(({ venue }) => venue));
  return context.resources.venues
    .filter(({ id }) => !known.has(id))
    .flatMap(({ id: venue }) =>
      (context.latest(healthTopic(venue)) ?? [])
        .filter(({ gives, status }) => gives.includes('liquidations') && status !== 'ok')
        .map(({ source, status, error = null }) => ({
          venue,
          entry: { source, status, ageMs: null, error },
        })),
    );
}
