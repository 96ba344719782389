import { spotSources } from '../flow-sources.ts';
import { spreadSnap } from '../flow-snaps.ts';
import { VenueSpreadSnap } from '../schema.ts';
import { openFlow } from './flow-source.ts';
import { gatewayChannel } from '../../channel.ts';

export const venueSpread = gatewayChannel({
  name: 'venueSpread',
  summary: 'Spot venues against their median',
  description:
    'The record of `/flows/venue-spreads`, at most once a second, for the coins whose flows are followed.',
  payload: VenueSpreadSnap,
  symbols: ({ flowCoins }) => flowCoins,
  isState: true,
  sources: () => [spotSources],
  open({ symbol: coin }, publish, context) {
    return openFlow({
      context,
      coin,
      publish,
      read: ({ atMs, figures, parts: { spreads } }) =>
        spreads && spreadSnap({ coin, atMs, figures, spreads }, spreads.part),
    });
  },
});
