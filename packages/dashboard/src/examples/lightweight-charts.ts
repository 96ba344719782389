import { Client, systemClock } from '@crosstape/client';
import { createDatafeed, type DatafeedBar, type DatafeedSymbol } from '@crosstape/client/bars';
import { CandlestickSeries, createChart, type UTCTimestamp } from 'lightweight-charts';
import { askedSymbol, placeOf } from './place.ts';

/** The datafeed for TradingView's charting library, drawn with its free one: history, then bars as they grow. */
const BARS = 300;
const RETRY_MS = 3_000;
const { symbol: name, resolution } = askedSymbol();
const client = new Client({ url: location.origin });
const datafeed = createDatafeed(client);
const place = placeOf('chart');
const chart = createChart(place, {
  autoSize: true,
  // Its mark would write a style into the document, which the policy of this page forbids.
  layout: { background: { color: '#0e1116' }, textColor: '#d5dbe3', attributionLogo: false },
  grid: { vertLines: { color: '#20262f' }, horzLines: { color: '#20262f' } },
  timeScale: { timeVisible: true, secondsVisible: resolution.endsWith('S') },
});
const series = chart.addSeries(CandlestickSeries);
const inSeconds = ({ time, ...bar }: DatafeedBar) => ({ ...bar, time: (time / 1_000) as UTCTimestamp });
const say = (text: string): void => {
  placeOf('state').textContent = text;
};

/** A service that starts, or builds the bars of a day, has no answer yet. */
function again(text: string, step: () => void): void {
  say(text);
  systemClock.after(RETRY_MS, step);
}

function show(symbol: DatafeedSymbol): void {
  const { pricescale } = symbol;
  series.applyOptions({ priceFormat: { type: 'price', minMove: 1 / pricescale } });
  const load = (): void => {
    const to = Math.floor(client.now() / 1_000) + 1;
    const period = { from: to - 60, to, countBack: BARS };
    void datafeed.getBars(
      symbol,
      resolution,
      period,
      (bars) => {
        series.setData(bars.map(inSeconds));
        say(`${symbol.description}: ${bars.length} bars`);
      },
      (text) => again(text, load),
    );
  };
  load();
  datafeed.subscribeBars(symbol, resolution, (bar) => series.update(inSeconds(bar)), 'chart', load);
}

const resolve = (): void => void datafeed.resolveSymbol(name, show, (text) => again(text, resolve));
resolve();
// For tests, and for a look from the console.
Object.assign(place, { bars: () => series.data() });
