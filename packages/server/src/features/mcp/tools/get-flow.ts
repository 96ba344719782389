import { Type } from 'typebox';
import { coinInput } from '../inputs.ts';
import { tool } from '../tool.ts';

export interface FlowSummary {
  readonly rows: readonly {
    readonly coin: string;
    readonly flowPressureScore: number;
    readonly headline: string;
    readonly coverage: object;
  }[];
  readonly signals: readonly { readonly title: string; readonly severity: string }[];
}

export const getFlow = tool({
  name: 'get_flow',
  title: 'Flow pressure and signals',
  description:
    'Returns the flow-pressure score of one coin (−100 selling to 100 buying), its headline and the active signals: venue spreads, Korean premium, Coinbase pressure and ETF flows. Use it to ask which way flows lean across venues; use get_large_prints for single orders and market_brief for a wider summary. Scores are made every second while sources deliver; missing sources make coverage partial, and `flowCoverage` names them. Flows exist for few coins (BTC, ETH, SOL by default).',
  input: Type.Object({ coin: coinInput }, { additionalProperties: false }),
  async call({ coin }, rest) {
    const { data, meta } = await rest.get<FlowSummary>('/flows/summary', { coins: coin });
    const row = data.rows[0];
    const signals = data.signals.map(({ title, severity }) => `${title} (${severity})`);
    const text = row
      ? `Flow pressure of ${row.coin} is ${row.flowPressureScore.toFixed(0)} of 100: ${row.headline.replace(/\.$/, '')}. ${signals.length > 0 ? `Active signals: ${signals.join('; ')}.` : 'No signal is active.'}`
      : `Flows of ${coin} cannot be determined at the moment.`;
    const { coverage: flowCoverage, ...figures } = row ?? { coin };
    return {
      text,
      metas: [meta],
      ...(row === undefined && { coverage: 'unknown' as const }),
      units: { flowPressureScore: 'points, −100 to 100' },
      figures: { ...figures, ...(flowCoverage && { flowCoverage }), signals: data.signals },
    };
  },
});
