import { Type } from 'typebox';
import { etfAssets } from '../flow-inputs.ts';
import { proxyVenue } from '../etf-proxy.ts';
import { etfProxySnap } from '../flow-snaps.ts';
import { explain, metaOfFlows, readReports, reusableUntilMs, flowsUnavailable } from '../read-flows.ts';
import { assetQuery } from '../../onchain/read-onchain.ts';
import { EtfFlowProxySnap } from '../schema.ts';
import { flowsMeta } from '../meta-schema.ts';
import { endpoint } from '../../context.ts';

export const flowsEtf = endpoint({
  path: '/flows/etf',
  summary: 'ETF flows and Coinbase pressure',
  description:
    'The last complete day of the spot ETFs (null while their source is closed), and the current premium and net taker buying of the coin on Coinbase, where most of their custodians trade. The latter is pressure on the venue, not attributable to ETFs.',
  query: Type.Object({ ...assetQuery.properties, explain }),
  data: EtfFlowProxySnap,
  meta: flowsMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'Bitcoin', search: '' },
    { summary: 'Ether, with how it was made', search: 'asset=ethereum&explain=1' },
  ],
  errors: ['upstream_unavailable'],
  async handle({ asset, explain: isExplained }, context) {
    const coin = Object.keys(etfAssets).find((one) => etfAssets[one] === asset) ?? '';
    const [report] = await readReports(context, [coin]);
    const snap = report && etfProxySnap(report, asset);
    const { figures, parts, failures } = report ?? {};
    const failing = failures ? [failures.spot, failures.proxyTape, failures.etf] : [];
    const { proxy, proxyTape } = parts ?? {};
    const etf = figures?.etf;
    const names = [...(etf ? [etf.source] : []), proxyVenue.venue];
    if (!snap || !report || !figures || !proxy || !proxyTape) {
      const missing = [
        ...(proxy ? [] : [`a fresh price of ${coin} on Coinbase and on another spot venue`]),
        ...(proxyTape ? [] : [`the trades of ${coin} on Coinbase`]),
      ];
      throw flowsUnavailable(context, `Still missing: ${missing.join(', ')}.`, names, failing);
    }
    const oldestMs = Math.min(proxy.atMs, proxyTape.atMs);
    return {
      data: snap,
      meta: metaOfFlows({
        context,
        names: [...names, ...figures.prices.map(({ venue }) => venue)],
        fetchedAt: snap.fetchedAt,
        failing,
        staleSinceMs: oldestMs < report.atMs ? oldestMs : undefined,
        ...(isExplained && {
          explained: { kind: 'etf', coins: [{ coin, figures, failing: failing.flat() }] },
        }),
      }),
      validUntilMs: reusableUntilMs(context),
    };
  },
});
