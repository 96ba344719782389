import { fxRateSources, koreanSources, spotSources } from '../flow-sources.ts';
import { kimchiSnap } from '../flow-snaps.ts';
import { KimchiPremiumSnap } from '../schema.ts';
import { openFlow } from './flow-source.ts';
import { gatewayChannel } from '../../channel.ts';

export const kimchi = gatewayChannel({
  name: 'kimchi',
  summary: 'Korean premium',
  description:
    'The record of `/flows/kimchi`, at most once a second, for the coins whose flows are followed.',
  payload: KimchiPremiumSnap,
  symbols: ({ flowCoins }) => flowCoins,
  isState: true,
  sources: () => [...koreanSources.map((one) => [one]), fxRateSources, spotSources],
  open({ symbol: coin }, publish, context) {
    return openFlow({
      context,
      coin,
      publish,
      read: ({ parts }) => parts.kimchi && kimchiSnap(coin, parts.kimchi.part),
    });
  },
});
