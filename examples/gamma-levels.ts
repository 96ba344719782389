/**
 * Where dealers' hedging slows the market down or drives it on, by strike.
 *
 *     npx tsx --conditions=crosstape-source examples/gamma-levels.ts http://127.0.0.1:8080 BTC
 */
import { Client } from '@crosstape/client';

const [url = 'http://127.0.0.1:8080', asked = 'BTC'] = process.argv.slice(2);
const underlying = asked as 'BTC' | 'ETH' | 'SOL' | 'XRP';
const client = new Client({ url });

const { data, meta } = await client.get('/options/gex', { underlying });
const { spot, totalGex, callWall, putWall, gammaFlip, strikes } = data;
const millions = (value: number): string => `${(value / 1e6).toFixed(1)} M`;

console.log(`${underlying} at ${spot} (${meta.source}), USD that dealers trade per 1 % move:`);
console.log(`  in all     ${millions(totalGex)}: they ${totalGex > 0 ? 'dampen' : 'amplify'} moves`);
console.log(`  call wall  ${callWall.strike} (${millions(callWall.gex)})`);
console.log(`  put wall   ${putWall.strike} (${millions(putWall.gex)})`);
console.log(`  flip       ${gammaFlip ?? 'none within half and one and a half times the spot'}`);

const near = strikes.filter(({ strike }) => Math.abs(strike / spot - 1) < 0.1);
const largest = Math.max(...near.map(({ gex }) => Math.abs(gex)), 1);
for (const { strike, gex } of near) {
  const bar = (gex > 0 ? '█' : '░').repeat(Math.round((Math.abs(gex) / largest) * 40));
  console.log(`${String(strike).padStart(9)} ${millions(gex).padStart(10)} ${bar}`);
}
