/**
 * How well liquidations are inferred on the simulator's market, where the truth is known: per coin, and in all.
 *
 *     npm run -s bench:inference -- --seeds 201,202,203 --days 3 --coins BTC,ETH,SOL
 */
import { parseArgs } from 'node:util';
import { createMarket } from '@crosstape/simulator';
import {
  largestPrints,
  type Replay,
  replay,
  type Score,
  scoreOf,
} from '../packages/server/src/features/liquidations/inferred-liquidations.fixture.ts';
import { keyOf } from '../packages/server/src/features/liquidations/score-inference.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '201,202,203' },
    days: { type: 'string', default: '3' },
    coins: { type: 'string' },
    brief: { type: 'boolean', default: false },
  },
});
const seeds = values.seeds.split(',').map(Number);
const days = Number(values.days);
const listed = createMarket({ seed: 1 }).coins.filter(({ isDelisted, dex }) => !isDelisted && dex === '');
const coins = values.coins?.split(',') ?? listed.map(({ name }) => name);

const percent = (share: number | null) =>
  share === null ? '     –' : `${(100 * share).toFixed(0).padStart(4)} %`;
const cells = ({ inferred, known, precision, recall, precisionUsd, recallUsd }: Score) =>
  `${String(inferred).padStart(5)} ${String(known).padStart(5)} ${[precision, recall, precisionUsd, recallUsd].map(percent).join(' ')}`;

/** Without the prints that no score looks at: those of all coins together are too many. */
function kept(one: Replay): Replay {
  const largest = new Set(largestPrints(one));
  const prints = one.prints.filter((print) => largest.has(print) || one.forced.has(keyOf(print)));
  return { ...one, prints };
}

const heading = 'alarms forced  prec. recall prec.$ recall$';
for (const seed of seeds) {
  const on: Replay[] = [];
  const blind: Replay[] = [];
  let falseAlarms = 0;
  let worst = { coin: '', perDay: 0 };
  for (const coin of coins) {
    const seen = replay({ seed, coin, days, cascades: true }, { withPolls: true });
    const calm = replay({ seed, coin, days, cascades: false }, { withPolls: true });
    on.push(kept(seen));
    blind.push(kept(replay({ seed, coin, days, cascades: true }, { withPolls: false })));
    falseAlarms += calm.alarms.length;
    const perDay = calm.alarms.length / days;
    if (perDay > worst.perDay) worst = { coin, perDay };
    if (!values.brief) {
      const score = scoreOf([seen], ({ alarms }) => alarms);
      console.log(`${seed} ${coin.padEnd(9)} ${cells(score)}  calm ${perDay.toFixed(1)} a day`);
    }
  }
  const ofRule = ({ alarms }: Replay) => alarms;
  console.log(`seed ${seed}, ${coins.length} coins, ${days} days   ${heading}`);
  console.log(`  the rule             ${cells(scoreOf(on, ofRule))}`);
  console.log(`  largest prints       ${cells(scoreOf(on, largestPrints))}`);
  console.log(`  without open int.    ${cells(scoreOf(blind, ofRule))}`);
  console.log(
    `  calm: ${(falseAlarms / coins.length / days).toFixed(2)} false alarms per coin and day, at worst ${worst.perDay.toFixed(1)} (${worst.coin})`,
  );
}
