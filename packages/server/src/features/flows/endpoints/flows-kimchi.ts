import { Type } from 'typebox';
import { koreanSource } from '../flow-inputs.ts';
import { Failure } from '../../../platform/errors.ts';
import { snapshotTopic } from '../../../topics.ts';
import { kimchiSnap } from '../flow-snaps.ts';
import { coinName, defaulted } from '../../../http/parameter.ts';
import {
  explain,
  flowCoinsOf,
  metaOfFlows,
  readPrices,
  reusableUntilMs,
  flowsUnavailable,
  waitForPrices,
} from '../read-flows.ts';
import { wantSpotBook } from '../../spot/read-spot.ts';
import { KimchiPremiumSnap } from '../schema.ts';
import { flowsMeta } from '../meta-schema.ts';
import { endpoint } from '../../context.ts';

export const flowsKimchi = endpoint({
  path: '/flows/kimchi',
  summary: 'Korean premium',
  description:
    'What a coin costs on the Korean venue against the median of the spot venues of the world, by the official rate of the won; `premiumBpsUsdt` is the same by what a USDT costs there, and the two can differ in sign.',
  query: Type.Object({
    coin: defaulted(coinName({ description: 'Ticker, in any case.', examples: ['XRP'] }), 'BTC'),
    explain,
  }),
  data: KimchiPremiumSnap,
  meta: flowsMeta,
  cacheSeconds: 10,
  examples: [
    { summary: 'Bitcoin', search: '' },
    { summary: 'Ripple, with how it was made', search: 'coin=XRP&explain=1' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coin: text, explain: isExplained }, context) {
    const { coins, unknown } = await flowCoinsOf(context, [text]);
    const [coin] = coins;
    if (coin === undefined) throw new Failure('not_found', `Coin ${unknown[0]} is not known.`);
    const tickers = snapshotTopic(koreanSource, 'spotTickers');
    await waitForPrices(context, [coin]);
    await context.waitUntil(() => context.resources.bus.latest(tickers) !== undefined, [tickers]);
    const listed = context.resources.bus.latest(tickers)?.message.rows;
    const pair = listed?.find((row) => row.coin === coin);
    if (listed && !pair)
      throw new Failure('not_found', `${koreanSource} does not list ${coin} against the won.`);
    if (pair) await wantSpotBook(context, koreanSource, pair.symbol);
    const { atMs, figures, kimchi, failures } = readPrices(context, coin);
    const failing = [failures.spot, failures.korea];
    if (!kimchi) {
      const why = typeof figures.kimchi === 'string' ? figures.kimchi : '';
      throw flowsUnavailable(context, why, [koreanSource], failing);
    }
    const { part } = kimchi;
    const madeAtMs = part.usdKrw.isStale ? part.usdKrw.asOfMs : kimchi.atMs;
    return {
      data: kimchiSnap(coin, part),
      meta: metaOfFlows({
        context,
        names: [koreanSource, part.usdKrw.provider, ...figures.prices.map(({ venue }) => venue)],
        fetchedAt: part.fetchedAtMs,
        failing,
        staleSinceMs: madeAtMs < atMs ? madeAtMs : undefined,
        ...(isExplained && {
          explained: { kind: 'kimchi', coins: [{ coin, figures, failing: failing.flat() }] },
        }),
      }),
      validUntilMs: reusableUntilMs(context),
    };
  },
});
