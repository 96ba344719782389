import { Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import { coinInput } from '../inputs.ts';
import type { RestMeta, RestQuery } from '../rest.ts';
import { tool } from '../tool.ts';
import { change, percent, usd } from '../wording.ts';
import { readCoverage } from './get-coverage.ts';
import type { FlowSummary } from './get-flow.ts';
import { annualPct, type FundingRow } from './get-funding.ts';
import type { OiRow } from './get-open-interest.ts';
import { type Gex, gammaSentence, OPTION_UNDERLYINGS } from './get-option-levels.ts';
import { perpVenueIds } from '../../markets/venue-ids.ts';

interface Ticker {
  readonly coin: string;
  readonly mark: number;
  readonly change24hPct: number | null;
  readonly volume24hUsd: number | null;
}

export const marketBrief = tool({
  name: 'market_brief',
  title: 'Brief of one market',
  description:
    'Returns a paragraph about one coin now: price and 24-hour change, open interest and funding on every perpetual venue, flow pressure, option levels where there are options, and how complete the tape of the last 24 hours is. Use it first; then use the tool of a single subject (get_funding, get_open_interest, get_flow, get_option_levels, get_coverage) for its details. Parts whose source fails are left out and named in `missing`, and coverage is then partial. Everything is current, at most about a minute old.',
  input: Type.Object({ coin: coinInput }, { additionalProperties: false }),
  async call({ coin: given }, rest) {
    const { data, meta } = await rest.get<readonly Ticker[]>('/perps/tickers', { coins: given });
    const ticker = data[0];
    if (!ticker) throw new Failure('not_found', `Coin ${given} is not known.`);
    const { coin } = ticker;
    const metas: RestMeta[] = [meta];
    const missing: string[] = [];
    const part = async <Part extends { readonly meta: RestMeta }>(
      path: string,
      read: () => Promise<Part>,
    ): Promise<Part | undefined> => {
      const answer = await optional(read);
      if (answer) metas.push(answer.meta);
      else missing.push(path);
      return answer;
    };
    const partOf = async <Data>(path: string, query: RestQuery): Promise<Data | undefined> =>
      (await part(path, () => rest.get<Data>(path, query)))?.data;
    const venues = perpVenueIds.join(',');
    const hasFlows = rest.flowCoins.includes(coin);
    const hasOptions = OPTION_UNDERLYINGS.some((one) => one === coin);
    const [oi, funding, flow, gex, tape] = [
      await partOf<readonly OiRow[]>('/perps/oi', { coins: coin, venues }),
      await partOf<readonly FundingRow[]>('/perps/funding', { coins: coin, venues }),
      hasFlows ? await partOf<FlowSummary>('/flows/summary', { coins: coin }) : undefined,
      hasOptions ? await partOf<Gex>('/options/gex', { underlying: coin }) : undefined,
      await part('/coverage', () => readCoverage(rest, { coin })),
    ];
    const totalOiUsd = oi?.reduce((sum, { oiUsd }) => sum + oiUsd, 0);
    const primary = funding?.find(({ venue }) => venue === 'hyperliquid');
    const score = flow?.rows[0];
    const moved = ticker.change24hPct === null ? '' : `, ${change(ticker.change24hPct)} over 24 hours`;
    const sentences = [
      `${coin} trades at ${ticker.mark}${moved}.`,
      totalOiUsd === undefined ? '' : `Open interest is ${usd(totalOiUsd)} on ${oi?.length} venues.`,
      primary ? `Funding on hyperliquid is ${percent(annualPct(primary))} a year.` : '',
      hasFlows ? '' : `Flows of ${coin} are not followed.`,
      score ? `Flow pressure is ${score.flowPressureScore.toFixed(0)} of 100 (${score.headline}).` : '',
      gex ? gammaSentence(gex) : '',
      tape ? `The tape of the last 24 hours is ${percent(tape.completePct, 3)} complete.` : '',
      missing.length > 0 ? `Not available at the moment: ${missing.join(', ')}.` : '',
    ];
    return {
      text: sentences.filter((one) => one !== '').join(' '),
      metas,
      ...((tape?.coverage !== 'complete' || missing.length > 0) && {
        coverage: 'partial' as const,
        gaps: tape?.gaps ?? [],
      }),
      inferred: gex !== undefined,
      units: {
        mark: 'USD',
        change24hPct: 'percent',
        volume24hUsd: 'USD',
        totalOiUsd: 'USD',
        fundingAnnualPct: 'percent per year',
        flowPressureScore: 'points, −100 to 100',
        totalGex: 'USD per 1 % move',
        tapeCompletePct: 'percent of time',
      },
      figures: {
        coin,
        mark: ticker.mark,
        change24hPct: ticker.change24hPct,
        volume24hUsd: ticker.volume24hUsd,
        ...(totalOiUsd !== undefined && { totalOiUsd }),
        ...(primary && { fundingAnnualPct: annualPct(primary) }),
        ...(score && { flowPressureScore: score.flowPressureScore }),
        ...(gex && {
          totalGex: gex.totalGex,
          callWall: gex.callWall,
          putWall: gex.putWall,
          gammaFlip: gex.gammaFlip,
        }),
        ...(tape && { tapeCompletePct: tape.completePct }),
        missing,
      },
    };
  },
});

/** A part of the brief: absent when its source fails or does not know the coin. */
async function optional<Part>(read: () => Promise<Part>): Promise<Part | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
