import { etfSources, proxyTapeSources, spotSources } from '../flow-sources.ts';
import { etfAssets } from '../flow-inputs.ts';
import { etfProxySnap } from '../flow-snaps.ts';
import { EtfFlowProxySnap } from '../schema.ts';
import { openFlow } from './flow-source.ts';
import { gatewayChannel } from '../../channel.ts';

export const etfProxy = gatewayChannel({
  name: 'etfProxy',
  summary: 'ETF flows and Coinbase pressure',
  description: 'The record of `/flows/etf`, at most once a second, for `BTC` and `ETH`.',
  payload: EtfFlowProxySnap,
  symbols: () => Object.keys(etfAssets),
  isState: true,
  sources: ({ symbol: coin }) => [proxyTapeSources, spotSources, etfSources(coin)],
  open({ symbol: coin }, publish, context) {
    const asset = etfAssets[coin];
    if (!asset) throw new Error(`there are no ETFs of ${coin}`);
    return openFlow({ context, coin, publish, read: (report) => etfProxySnap(report, asset) });
  },
});
