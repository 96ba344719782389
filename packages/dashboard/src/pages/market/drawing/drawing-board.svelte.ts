import { systemClock } from '@crosstape/client';
import { Kept } from '../../../frame/kept.svelte.ts';
import type { BarChart } from '../bar-chart.ts';
import { openHands } from '../chart-look.ts';
import { snapPrice } from './bar-places.ts';
import {
  type Anchor,
  type Drawing,
  type DrawingStyle,
  type DrawingTool,
  drawingTools,
  isDrawingStyle,
  withDrawings,
} from './drawing.ts';
import { change, type DrawingHistory, moved, rebased, redo, startHistory, undo } from './drawing-history.ts';
import { DrawingLayer } from './drawing-layer.ts';
import type { Point } from './drawing-shapes.ts';
import { type KeyStep, stepOf, stepped } from './key-steps.ts';
import { keptDrawings } from './kept-drawings.ts';

/** A press that moves further drags the chart, in pixels. */
const PRESS_PX = 5;
/** A price this near is snapped to. */
const SNAP_PX = 12;
const DRAFT = 'draft';
const snapping = new Kept<boolean>('drawing-snap', true, (value) => typeof value === 'boolean');
/** The next drawing has the style of the last change. */
const lastStyle = new Kept<DrawingStyle>('drawing-style', {}, isDrawingStyle);

interface Drag {
  readonly from: Anchor;
  readonly drawing: Drawing;
  readonly anchor: number | undefined;
}

/** The drawings of a market on a chart: made, selected, moved and removed by pointer and by keys. */
export class DrawingBoard {
  readonly #market: string;
  #layer: DrawingLayer | undefined;
  #chart: BarChart | undefined;
  #history = $state.raw<DrawingHistory>(startHistory([]));
  tool = $state<DrawingTool>();
  selected = $state<string>();
  /** Price that keys have moved the next point to; default: the close of the bar there. */
  keyedPrice = $state<number>();
  /** The drawing that keys have moved last. */
  steppedId = $state<string>();
  /** Points of a drawing that is being made, and where the next would be. */
  #placed: readonly Anchor[] = [];
  #drag: Drag | undefined;
  #pressed: Point | undefined;
  #made = 0;

  constructor(market: string) {
    this.#market = market;
    this.#history = startHistory(keptDrawings.value[market] ?? []);
  }

  /** Adopts what another tab has stored for this market. */
  receive(kept: readonly Drawing[]): void {
    if (JSON.stringify(kept) === JSON.stringify(this.drawings)) return;
    this.#history = rebased(this.#history, kept);
    if (!kept.some(({ id }) => id === this.selected)) this.selected = undefined;
    this.#drop();
    this.#show();
  }

  get drawings(): readonly Drawing[] {
    return this.#history.drawings;
  }

  get canUndo(): boolean {
    return this.#history.past.length > 0;
  }

  get canRedo(): boolean {
    return this.#history.future.length > 0;
  }

  get isSnapping(): boolean {
    return snapping.value;
  }

  set isSnapping(next: boolean) {
    snapping.value = next;
  }

  /** Draws on a chart until the returned function is called. */
  attach(chart: BarChart): () => void {
    const { surface } = chart;
    const layer = new DrawingLayer(surface);
    const element = surface.chart.chartElement();
    const detach = surface.attach(layer);
    [this.#chart, this.#layer] = [chart, layer];
    this.#show();
    chart.beforeMenu = () => this.#releaseForMenu();
    const ending = new AbortController();
    const { signal } = ending;
    const at = ({ clientX, clientY }: PointerEvent): Point => {
      const { left, top } = element.getBoundingClientRect();
      return [clientX - left, clientY - top];
    };
    element.addEventListener('pointerdown', (event) => this.#press(event, at(event)), { signal });
    addEventListener('pointermove', (event) => this.#move(at(event)), { signal });
    addEventListener('pointerup', (event) => this.#release(at(event)), { signal });
    addEventListener('pointercancel', () => this.#drop(), { signal });
    // Else the browser scrolls the page and takes the pointer away.
    const hold = (event: TouchEvent): void => {
      if (this.#drag) event.preventDefault();
    };
    element.addEventListener('touchmove', hold, { signal, passive: false });
    element.parentElement?.addEventListener('keydown', (event) => this.#key(event), { signal });
    // The button of a tool has the focus when the tool was just chosen.
    addEventListener('keydown', (event) => event.key === 'Escape' && this.tool && this.#key(event), {
      signal,
    });
    return () => {
      ending.abort();
      chart.beforeMenu = undefined;
      this.#drag = this.#pressed = undefined;
      detach();
      this.#layer = this.#chart = undefined;
    };
  }

  choose(tool: DrawingTool | undefined): void {
    this.tool = this.tool === tool ? undefined : tool;
    this.#placed = [];
    this.keyedPrice = undefined;
    this.selected = undefined;
    this.#show();
  }

  select(id: string | undefined): void {
    this.selected = id;
    this.#show();
  }

  /** Locked ones stay. */
  remove(id = this.selected): void {
    const found = this.drawings.find((one) => one.id === id);
    if (!found || found.isLocked) return;
    this.selected = undefined;
    this.#set(this.drawings.filter((one) => one !== found));
  }

  removeAll(): void {
    this.#set(this.drawings.filter(({ isLocked }) => isLocked));
  }

  lock(id: string, isLocked: boolean): void {
    this.#set(this.drawings.map((one) => (one.id === id ? { ...one, isLocked } : one)));
  }

  restyle(id: string, style: DrawingStyle): void {
    lastStyle.value = { ...lastStyle.value, ...style };
    this.#set(this.drawings.map((one) => (one.id === id ? { ...one, ...style } : one)));
  }

  write(id: string, text: string): void {
    this.#set(this.drawings.map((one) => (one.id === id ? { ...one, text } : one)));
  }

  undo(): void {
    this.#step(undo(this.#history));
  }

  redo(): void {
    this.#step(redo(this.#history));
  }

  #press(event: PointerEvent, at: Point): void {
    this.#drop();
    if (event.button !== 0 || !this.#isOnPrices(at)) return;
    this.#pressed = at;
    if (this.tool) return;
    const found = this.#layer?.at(at);
    this.select(found?.drawing.id);
    const from = found && this.#layer?.anchorAt(at);
    if (!found || !from || found.drawing.isLocked) return;
    this.#drag = { from, ...found };
    this.#chart?.surface.chart.applyOptions({ handleScroll: false, handleScale: false });
  }

  #move(at: Point): void {
    const anchor = this.#anchor(at);
    if (!anchor) return;
    if (this.#drag) {
      const { from, drawing, anchor: point } = this.#drag;
      const to = point === undefined ? (this.#layer?.anchorAt(at) ?? anchor) : anchor;
      const next = moved(drawing, from, to, point);
      this.#layer?.show(
        this.drawings.map((one) => (one.id === drawing.id ? next : one)),
        this.selected,
      );
    } else if (this.tool && this.#placed.length > 0) this.#show(anchor);
  }

  #release(at: Point): void {
    const pressed = this.#pressed;
    this.#pressed = undefined;
    if (!pressed) return;
    const isStill = Math.hypot(at[0] - pressed[0], at[1] - pressed[1]) <= PRESS_PX;
    const anchor = this.#anchor(at);
    if (this.#drag) {
      const { from, drawing, anchor: point } = this.#drag;
      this.#drag = undefined;
      this.#chart?.surface.chart.applyOptions(openHands);
      const to = point === undefined ? this.#layer?.anchorAt(at) : anchor;
      if (isStill || !to) return this.#show();
      this.#set(this.drawings.map((one) => (one.id === drawing.id ? moved(drawing, from, to, point) : one)));
    } else if (this.tool && isStill && anchor) this.place(anchor);
    else return;
    this.#chart?.surface.chart.chartElement().parentElement?.focus({ preventScroll: true });
  }

  /** Whether a finger that stays does not draw: its press is dropped, so that lifting it does nothing more. */
  #releaseForMenu(): boolean {
    if (this.tool || this.#drag) return false;
    this.#pressed = undefined;
    return true;
  }

  /** The pointer was lost: a dragged drawing stays where it was. */
  #drop(): void {
    this.#pressed = undefined;
    if (!this.#drag) return;
    this.#drag = undefined;
    this.#chart?.surface.chart.applyOptions(openHands);
    this.#show();
  }

  /** Sets the next point of the current drawing. */
  place(anchor: Anchor): void {
    const { tool } = this;
    if (!tool) return;
    this.keyedPrice = undefined;
    this.#placed = [...this.#placed, anchor];
    if (this.#placed.length < drawingTools[tool].points) return this.#show(anchor);
    this.#made += 1;
    const id = `${systemClock.now().toString(36)}-${this.#made}`;
    const style = lastStyle.value;
    const made: Drawing = { id, tool, anchors: this.#placed, ...style, ...(tool === 'note' && { text: '' }) };
    this.#placed = [];
    this.tool = undefined;
    this.selected = id;
    this.#set([...this.drawings, made]);
  }

  #key(event: KeyboardEvent): void {
    const isCommand = event.ctrlKey || event.metaKey;
    const step = isCommand || event.altKey ? undefined : stepOf(event);
    const keyed = this.#keyed;
    if (event.key === 'Escape' && (this.tool || this.selected)) {
      this.keyedPrice = undefined;
      if (this.#placed.length > 0) this.#placed = [];
      else this.tool = this.selected = undefined;
      this.#show();
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && this.selected) this.remove();
    else if (isCommand && event.key.toLowerCase() === 'z') {
      if (event.shiftKey) this.redo();
      else this.undo();
    } else if (event.key === 'Enter' && this.tool && keyed) this.place(keyed);
    else if (step && this.tool && step.px !== 0) this.#aim(step.px);
    else if (step && !this.tool) {
      if (!this.#stepSelected(step)) return;
    } else {
      // The chart points at another bar first.
      if (step && this.tool) requestAnimationFrame(() => this.#showKeyed());
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Where keys would set the next point: at the bar that they point at. */
  get #keyed(): Anchor | undefined {
    const bar = this.#chart?.pointedBar;
    return bar && { ts: bar.openTs, price: this.keyedPrice ?? bar.close };
  }

  /** Moves the next point up, at the newest bar if keys have not pointed at another. */
  #aim(px: number): void {
    const chart = this.#chart;
    if (chart && !chart.pointedBar) chart.point(chart.count - 1);
    const keyed = this.#keyed;
    if (keyed) this.keyedPrice = this.#layer?.priceAbove(keyed.price, px);
    this.#showKeyed();
  }

  #showKeyed(): void {
    if (this.tool) this.#show(this.#keyed, true);
  }

  /** Moves the selected drawing, unless it is locked. Steps in a row are undone together. */
  #stepSelected(step: KeyStep): boolean {
    const [chart, layer] = [this.#chart, this.#layer];
    const found = this.drawings.find(({ id }) => id === this.selected);
    if (!found || found.isLocked || !chart || !layer) return false;
    const next = stepped(found, step, chart.surface.bars(), (price, px) => layer.priceAbove(price, px));
    const drawings = this.drawings.map((one) => (one === found ? next : one));
    const isSame = this.steppedId === found.id;
    this.#step(isSame ? { ...this.#history, drawings, future: [] } : change(this.#history, drawings));
    this.steppedId = found.id;
    return true;
  }

  #isOnPrices([x, y]: Point): boolean {
    const chart = this.#chart?.surface.chart;
    return chart !== undefined && x <= chart.timeScale().width() && y <= (chart.panes()[0]?.getHeight() ?? 0);
  }

  #anchor(at: Point): Anchor | undefined {
    const anchor = this.#layer?.anchorAt(at);
    if (!anchor || !this.isSnapping) return anchor;
    const bar = this.#chart?.barAtX(at[0]);
    const price = snapPrice(bar, anchor.price, this.#layer?.reachAt(at[1], SNAP_PX) ?? 0);
    return bar && price !== anchor.price ? { ts: bar.openTs, price } : anchor;
  }

  #set(drawings: readonly Drawing[]): void {
    this.#step(change(this.#history, drawings));
  }

  #step(next: DrawingHistory): void {
    this.#history = next;
    this.steppedId = undefined;
    if (!next.drawings.some(({ id }) => id === this.selected)) this.selected = undefined;
    keptDrawings.value = withDrawings(keptDrawings.value, this.#market, next.drawings);
    this.#show();
  }

  /** Draws everything, and the current drawing with its next point. */
  #show(next?: Anchor, isKeyed = false): void {
    const { tool } = this;
    const anchors = next && tool ? [...this.#placed, next].slice(0, drawingTools[tool].points) : [];
    const draft: readonly Drawing[] =
      tool && anchors.length === drawingTools[tool].points
        ? [{ id: DRAFT, tool, anchors, ...lastStyle.value }]
        : [];
    this.#layer?.show([...this.drawings, ...draft], this.selected, isKeyed ? next : undefined);
  }
}
