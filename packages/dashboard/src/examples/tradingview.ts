import { Client } from '@crosstape/client';
import { createDatafeed } from '@crosstape/client/bars';
import { askedSymbol, placeOf } from './place.ts';

const FOLDER = 'charting_library/';

/** The part of the library that this page uses; the library has its own types. */
interface ChartingLibrary {
  readonly widget: new (options: object) => unknown;
}

function isLoaded(page: object): page is { readonly TradingView: ChartingLibrary } {
  return 'TradingView' in page;
}

function draw(): void {
  if (!isLoaded(window)) return explain();
  const { symbol, resolution } = askedSymbol();
  placeOf('state').hidden = true;
  const widget = new window.TradingView.widget({
    container: placeOf('chart'),
    library_path: FOLDER,
    datafeed: createDatafeed(new Client({ url: location.origin })),
    symbol,
    interval: resolution,
    timezone: 'Etc/UTC',
    theme: 'dark',
    autosize: true,
    enabled_features: ['seconds_resolution'],
  });
  // For a look from the console.
  Object.assign(placeOf('chart'), { widget });
}

function explain(): void {
  placeOf('state').textContent = 'The charting library was not found.';
  placeOf('chart').hidden = true;
  placeOf('help').hidden = false;
}

const script = document.createElement('script');
script.src = `${FOLDER}charting_library.standalone.js`;
script.addEventListener('load', draw);
script.addEventListener('error', explain);
document.head.append(script);
