import { untrack } from 'svelte';
import { Kept } from '../../frame/kept.svelte.ts';
import { router } from '../../router/router.svelte.ts';
import { type ChartSettings, isChartSettings, settingsFor, settingsIn } from './chart-settings.ts';
import type { MarketChoice } from './market-choice.ts';

/** The last settings in this browser, for the next visit. */
const kept = new Kept<ChartSettings>('chart-settings', { coin: '', query: '' }, isChartSettings);
/** The last ones in this tab. */
let last: ChartSettings | undefined;

/** A page that is loaded again stays as it was, whatever other tabs have chosen since. */
function isReloaded(): boolean {
  const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return last === undefined && load?.type === 'reload' && load.name === location.href;
}

/** Opens each market with the last settings of a chart, unless its address has settings. */
export function keepChartSettings(market: () => Pick<MarketChoice, 'id' | 'coin'>): void {
  let shownId: string | undefined;
  // Before the chart requests anything.
  $effect.pre(() => {
    const { id, coin } = market();
    const own = settingsIn(coin, router.query);
    untrack(() => {
      const isNew = id !== shownId;
      shownId = id;
      if (isNew && own.query === '' && !isReloaded()) router.set(settingsFor(coin, last ?? kept.value));
      else if (own.query !== last?.query || coin !== last.coin) kept.value = last = own;
    });
  });
}
