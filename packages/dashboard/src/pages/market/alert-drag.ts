import type { AlertRule, AlertSide } from '../../alerts/alert-rule.ts';
import { priceDigits } from '../../format/numbers.ts';
import type { BarChart } from './bar-chart.ts';
import { openHands } from './chart-look.ts';

/** How near to a line a press takes it, in pixels: a mouse anywhere on it, a finger on its label beside the prices. */
const MOUSE_PX = 5;
const FINGER_PX = 16;
/** A press that moves less is a click. */
const STILL_PX = 3;

type Level = Pick<AlertRule, 'id' | 'value'>;

interface AlertDragOptions {
  readonly chart: BarChart;
  readonly levels: () => readonly Level[];
  /** A line is at another price, but not released. */
  readonly onmove: (id: string, price: number) => void;
  readonly onrelease: (id: string, price: number) => void;
  /** The pointer was lost: the line is to be where it was. */
  readonly oncancel: () => void;
}

/** The price of a height of the chart as a reader would type it. */
export function typedPrice(price: number): number {
  return Number(price.toFixed(priceDigits(price)));
}

/** Which side of the newest price an alert at a price waits for. */
export function sideOf(price: number, newest: number | undefined, before: AlertSide): AlertSide {
  if (newest === undefined) return before;
  return price < newest ? 'below' : 'above';
}

/** Lets the lines of alerts be dragged to another price until the returned function is called. */
export function dragAlerts({ chart, levels, onmove, onrelease, oncancel }: AlertDragOptions): () => void {
  const { surface } = chart;
  const element = surface.chart.chartElement();
  const ending = new AbortController();
  const { signal } = ending;
  let drag:
    | { readonly id: string; readonly pointerId: number; readonly fromY: number; isMoved: boolean }
    | undefined;

  const priceAt = (y: number): number | undefined => {
    const price = chart.priceAt(y);
    return price !== undefined && price > 0 ? typedPrice(price) : undefined;
  };
  const placeOf = ({ clientX, clientY }: PointerEvent): readonly [x: number, y: number] => {
    const { left, top } = element.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };

  function lineAt(event: PointerEvent): Level | undefined {
    const [x, y] = placeOf(event);
    const isFinger = event.pointerType === 'touch';
    // Elsewhere a finger scrolls the page, moves the chart or opens the menu.
    if (chart.priceAt(y) === undefined || (isFinger && x < surface.chart.timeScale().width()))
      return undefined;
    const awayOf = ({ value }: Level): number =>
      Math.abs((surface.prices.priceToCoordinate(value) ?? Infinity) - y);
    const [nearest] = levels().toSorted((a, b) => awayOf(a) - awayOf(b));
    return nearest && awayOf(nearest) <= (isFinger ? FINGER_PX : MOUSE_PX) ? nearest : undefined;
  }

  function end(): typeof drag {
    const ended = drag;
    drag = undefined;
    if (ended) surface.chart.applyOptions(openHands);
    return ended;
  }

  function press(event: PointerEvent): void {
    if (drag || event.button !== 0 || !event.isPrimary) return;
    const line = lineAt(event);
    // A drawing that is being made has its points where the reader wants.
    if (!line || chart.beforeMenu?.() === false) return;
    drag = { id: line.id, pointerId: event.pointerId, fromY: event.clientY, isMoved: false };
    surface.chart.applyOptions({ handleScroll: false, handleScale: false });
    // Neither a drawing below it nor the menu gets the press.
    event.stopPropagation();
  }

  function move(event: PointerEvent): void {
    if (!drag || event.pointerId !== drag.pointerId) return;
    drag.isMoved ||= Math.abs(event.clientY - drag.fromY) > STILL_PX;
    const price = drag.isMoved ? priceAt(placeOf(event)[1]) : undefined;
    if (price !== undefined) onmove(drag.id, price);
  }

  function release(event: PointerEvent): void {
    if (event.pointerId !== drag?.pointerId) return;
    const ended = end();
    const price = priceAt(placeOf(event)[1]);
    if (!ended?.isMoved) return;
    if (price === undefined) oncancel();
    else onrelease(ended.id, price);
  }

  /** Else the browser scrolls the page and takes the pointer away, or opens its menu. */
  const hold = (event: Event): void => {
    if (drag && event.cancelable) event.preventDefault();
  };
  element.addEventListener('pointerdown', press, { signal, capture: true });
  element.addEventListener('touchmove', hold, { signal, passive: false });
  element.addEventListener(
    'pointermove',
    (event) => {
      element.classList.toggle(
        'over-alert',
        drag !== undefined || (event.buttons === 0 && lineAt(event) !== undefined),
      );
    },
    { signal },
  );
  addEventListener('pointermove', move, { signal });
  addEventListener('pointerup', release, { signal });
  addEventListener('pointercancel', () => end() && oncancel(), { signal });
  return () => {
    ending.abort();
    element.classList.remove('over-alert');
    // A destroyed chart takes no options.
    drag = undefined;
  };
}
