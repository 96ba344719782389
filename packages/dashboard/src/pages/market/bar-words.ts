import { compact, percent, plain, price } from '../../format/numbers.ts';
import type { Bar } from '../../live/topic.ts';

/** The figures of a bar, with their units. */
export function barFigures(
  { open, high, low, close, volume, delta, trades }: Bar,
  { coin, sign = '$' }: { readonly coin: string; readonly sign?: string },
) {
  const digits = price(close).split('.')[1]?.length ?? 0;
  const dollars = (value: number): string => `${sign}${plain(value, digits)}`;
  return {
    open: dollars(open),
    high: dollars(high),
    low: dollars(low),
    close: dollars(close),
    change: percent((close / open - 1) * 100),
    volume: `${compact(volume)} ${coin}`,
    delta: `${compact(delta)} ${coin}`,
    trades: plain(trades, 0),
  };
}

/** A bar for who cannot see it; `at` is when it began. */
export function spokenBar(
  bar: Bar,
  market: { readonly coin: string; readonly sign?: string },
  at: string,
): string {
  const { open, high, low, close, change, volume, delta, trades } = barFigures(bar, market);
  const gap = bar.complete ? '' : ', the tape has a gap here';
  return `${at}: open ${open}, high ${high}, low ${low}, close ${close}, ${change}, volume ${volume}, delta ${delta}, ${trades} trades${gap}`;
}
