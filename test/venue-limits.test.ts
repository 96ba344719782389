import { expect, it } from 'vitest';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
/** As many as one may ask for. */
const spotCoins = 'BTC,ETH,SOL,XRP,HYPE,DOGE,PEPE,SUI,ENA,ZEC,LINK,BNB,AVAX,BONK,ADA,AAVE,LTC,WLD,TAO,NEAR';
const minutes = process.env['LONG'] === undefined ? 8 : 60;

it(`keeps every limit of every venue over ${minutes} minutes of full operation`, async () => {
  const world = await World.open({ rate: 0.05, stepMs: 200, flags: ['--coinalyze-api-key', 'any'] });
  try {
    await world.until(() => world.isReady(), MINUTE_MS);
    // Everything that is fetched on demand is asked for all the while.
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const period of ['15m', '1h', '4h']) void world.json(`/perps/positioning?period=${period}`);
      void world.json(`/markets/spot?coins=${spotCoins}`);
      void world.json('/perps/liquidations');
      await world.run(MINUTE_MS);
    }
    // Most venues have not been heard for a day, so that the aggregator is asked for all that it allows.
    const { body } = await world.json('/perps/liquidations');
    expect(body.data.filter((row) => row['aggregated']).length).toBeGreaterThan(10);
    const violations = Object.entries(world.simulator.violations);
    expect(violations.length).toBeGreaterThanOrEqual(9);
    for (const [venue, broken] of violations) expect(broken, venue).toEqual({});
  } finally {
    await world.close();
  }
}, 1_800_000);
