/**
 * What the figures of one option chain cost: exposure by strike, walls, flip over 201 levels of spot, smiles and term
 * structure, against one plain pass that prices every option of it once, and one that takes only its gamma. CPU time,
 * medians of alternating rounds after one that does not count. Exits with 1 when a chain costs more than it may.
 *
 *     npm run bench:options
 *     npm run bench:options -- --rows 3000 --rounds 9
 */
import { parseArgs } from 'node:util';
import {
  type Black76,
  gammaOf,
  ManualClock,
  type OptionQuote,
  priceOf,
  yearsToExpiry,
} from '@crosstape/core';
import { startSimulator } from '@crosstape/simulator';
import { optionsVenue } from '@crosstape/venues';
import { optionFigures } from '../packages/server/src/features/options/option-figures.ts';
import { median } from './part.ts';

const RATIO_MAX = 250;
/** So that each measurement takes long enough to be one. */
const FIGURES_PER_ROUND = 10;
const PASSES_PER_ROUND = 400;
const AT_MS = Date.UTC(2026, 10, 16, 14, 30);

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1500' }, rounds: { type: 'string', default: '5' } },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);

/** The given number of options, all of them counted: the simulator's own of BTC, repeated where they are too few. */
async function simulatedChain(): Promise<readonly OptionQuote[]> {
  const simulator = await startSimulator({ port: 0, seed: 1, clock: new ManualClock(AT_MS) });
  const resource = optionsVenue.connector?.resources[0];
  if (!resource) throw new Error('the options venue has no resource');
  const response = await fetch(`${simulator.url}/${optionsVenue.id}${resource.request.path}`);
  const { btcOptions: options = [] } = resource.parse(await response.json(), AT_MS, {});
  await simulator.close();
  const counted = options.filter(({ openInterest }) => openInterest > 0);
  return Array.from({ length: rows }, (_, i) => counted[i % counted.length] as OptionQuote);
}

function termsOf({ forward, strike, markIvPct, expiryMs }: OptionQuote): Black76 {
  return { forward, strike, volatility: markIvPct / 100, years: yearsToExpiry(expiryMs, AT_MS) as number };
}

/** Milliseconds of CPU for one of `times` runs. */
function costMs(times: number, run: () => void): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i += 1) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / times;
}

const options = await simulatedChain();
const spot = options[0]?.forward ?? 0;
/** Looked at, so that nothing is left out for being useless. */
let seen = 0;
const figures = (): void => {
  seen += optionFigures({ coin: 'BTC', options, otherOi: 0, atMs: AT_MS, spot }).gex?.totalGex ?? 0;
};
const pricing = (): void => {
  for (const option of options) seen += priceOf(option.type, termsOf(option));
};
const gamma = (): void => {
  for (const option of options) seen += gammaOf(termsOf(option));
};

const costs = { figures: [] as number[], pricing: [] as number[], gamma: [] as number[] };
for (let round = -1; round < rounds; round += 1) {
  const cost = {
    figures: costMs(FIGURES_PER_ROUND, figures),
    pricing: costMs(PASSES_PER_ROUND, pricing),
    gamma: costMs(PASSES_PER_ROUND, gamma),
  };
  if (round < 0) continue;
  costs.figures.push(cost.figures);
  costs.pricing.push(cost.pricing);
  costs.gamma.push(cost.gamma);
}
if (!Number.isFinite(seen)) throw new Error('a figure is not a number');

const [whole, priced, gammas] = [median(costs.figures), median(costs.pricing), median(costs.gamma)];
console.log(`${rows} options, ${rounds} rounds, medians of CPU time`);
console.table([
  {
    what: 'all figures of the chain',
    ms: whole.toFixed(3),
    'times a pricing pass': (whole / priced).toFixed(1),
  },
  { what: 'one plain pricing pass', ms: priced.toFixed(3), 'times a pricing pass': 1 },
  {
    what: 'one pass of gamma alone',
    ms: gammas.toFixed(3),
    'times a pricing pass': (gammas / priced).toFixed(2),
  },
]);
console.log(
  `at most ${RATIO_MAX} times: ${whole / priced <= RATIO_MAX ? 'kept' : 'BROKEN'}; ${(whole / gammas).toFixed(1)} times gamma alone`,
);
if (whole / priced > RATIO_MAX) process.exitCode = 1;
