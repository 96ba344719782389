import { Type } from 'typebox';
import { coinChoice } from '../../../http/parameter.ts';
import { tool } from '../tool.ts';
import { usd } from '../wording.ts';

const LEVELS_MAX = 12;
export const OPTION_UNDERLYINGS = ['BTC', 'ETH', 'SOL', 'XRP'] as const;

export interface Gex {
  readonly underlying: string;
  readonly spot: number;
  readonly totalGex: number;
  readonly callWall: { readonly strike: number; readonly gex: number };
  readonly putWall: { readonly strike: number; readonly gex: number };
  readonly gammaFlip: number | null;
  readonly strikes: readonly { readonly strike: number; readonly gex: number }[];
}

/** One sentence about where dealers hedge. */
export function gammaSentence({ underlying, spot, totalGex, callWall, putWall, gammaFlip }: Gex): string {
  const flip = gammaFlip === null ? 'no gamma flip is near' : `the gamma flip is at ${gammaFlip}`;
  return `Dealer gamma of ${underlying} options is ${usd(totalGex)} per 1 % move at a spot of ${spot}: the call wall is at ${callWall.strike}, the put wall at ${putWall.strike}, and ${flip}.`;
}

export const getOptionLevels = tool({
  name: 'get_option_levels',
  title: 'Option levels: walls and gamma flip',
  description:
    'Returns where option dealers hedge most: call wall, put wall, gamma flip, net gamma exposure and the largest strikes, from the open interest of Deribit. Use it for levels that may attract or repel price; use market_brief for the market around them. Exposure assumes dealers are long calls and short puts, so it is inferred, not reported. Four underlyings only; the chain is at most about a minute old, and the 12 largest strikes are returned.',
  input: Type.Object(
    {
      underlying: coinChoice(OPTION_UNDERLYINGS, {
        description: 'Underlying of the options: `BTC`, `ETH`, `SOL` or `XRP`; any case. Required.',
      }),
    },
    { additionalProperties: false },
  ),
  async call({ underlying }, rest) {
    const { data, meta } = await rest.get<Gex>('/options/gex', { underlying });
    const strikes = data.strikes
      .toSorted((a, b) => Math.abs(b.gex) - Math.abs(a.gex))
      .slice(0, LEVELS_MAX)
      .toSorted((a, b) => a.strike - b.strike);
    return {
      text: gammaSentence(data),
      metas: [meta],
      inferred: true,
      ...(data.strikes.length > LEVELS_MAX && {
        hint: `The ${LEVELS_MAX} largest of ${data.strikes.length} strikes; GET /api/v1/options/gex has all of them.`,
      }),
      units: {
        spot: 'USD',
        totalGex: 'USD per 1 % move',
        gex: 'USD per 1 % move',
        strike: 'USD',
        gammaFlip: 'USD',
      },
      figures: { ...data, strikes },
    };
  },
});
