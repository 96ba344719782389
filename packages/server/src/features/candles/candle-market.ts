import { Failure } from '../../platform/errors.ts';
import type { Context } from '../context.ts';
import { chosenTape, type ChosenTape } from '../market-tape/chosen-tape.ts';
import { marketKey } from '../../store/market-key.ts';
import type { TopicName } from '../../gateway/gateway-channel.ts';
import { followedTape, type TapeHolder } from '../market-tape/followed-tape.ts';
import type { CandleMarket } from './candle-reader.ts';

/** The market that a caller named, with the data sources of its candles. */
export async function chosenMarket(
  context: Context,
  text: string,
): Promise<CandleMarket & Pick<ChosenTape, 'secondary'>> {
  const { secondary, coin, tape, coverage } = await chosenTape(context, { market: text });
  if (secondary) {
    const { market, ...recorded } = secondary;
    return { id: market.id, symbol: market.symbol, units: market, ...recorded, secondary };
  }
  const { primaryVenue, markets } = context.resources;
  const ticks = markets?.primary.ticks;
  if (!ticks) throw new Error('a market was found without a record');
  return { id: marketKey(primaryVenue, coin), symbol: coin, ticks, tape, coverage };
}

/** The market behind a topic. Throws a `Failure` when it is no longer recorded. */
export function followedMarket(
  holder: TapeHolder & { readonly primaryVenue: string },
  name: TopicName,
): CandleMarket {
  const { market, coin, tape, coverage } = followedTape(holder, name);
  if (!holder.markets) throw new Failure('not_found', 'No candles are recorded here.');
  if (market) return { id: market.id, symbol: coin, units: market, ...holder.markets.open(market) };
  const { ticks } = holder.markets.primary;
  return { id: marketKey(holder.primaryVenue, coin), symbol: coin, ticks, tape, coverage };
}
