import type { Context } from '../context.ts';
import { chosenTape, type ChosenTape } from '../market-tape/chosen-tape.ts';
import { marketKey } from '../../store/market-key.ts';
import type { CandleMarket } from './candle-reader.ts';

/** The market that a caller named, with what its candles are read from. */
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
