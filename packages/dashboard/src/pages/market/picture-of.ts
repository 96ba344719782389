import { price } from '../../format/numbers.ts';
import { canvasFont } from './canvas-font.ts';
import type { LegendValue } from './indicator-series.ts';
import { idTitle } from './market-choice.ts';

/** A text above a picture; its colour is the name of a token. */
interface CaptionPart {
  readonly text: string;
  readonly color: string;
}

interface Pictured {
  /** Id of the market. */
  readonly market: string;
  /** `5m`, `range`. */
  readonly bars: string;
  /** Sign before its prices. */
  readonly sign: string;
  readonly close: number | undefined;
  readonly nowMs: number;
  readonly mode: 'live' | 'sim' | 'replay';
  /** Values of the indicators at the newest bar. */
  readonly values: readonly Pick<LegendValue, 'name' | 'text' | 'color'>[];
}

const notLive = { live: '', sim: 'simulated market', replay: 'replayed capture' } as const;

/** What a picture of a chart shows: a picture leaves its page. */
export function captionOf({
  market,
  bars,
  sign,
  close,
  nowMs,
  mode,
  values,
}: Pictured): readonly CaptionPart[] {
  const time = `${new Date(nowMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const parts = [idTitle(market), `${bars} bars`, close === undefined ? '' : sign + price(close), time];
  const said = [...parts, notLive[mode], 'Crosstape'].filter(Boolean).join(' · ');
  return [
    { text: said, color: '--text' },
    ...values.map(({ name, text, color }) => ({ text: `${name} ${text}`, color })),
  ];
}

const FONT_PX = 12;
const LINE_PX = 20;
const MARGIN_PX = 10;
const GAP_PX = 14;

/** A drawing on a ground below its caption, as a picture. `scale`: pixels of the drawing for each of the page. */
export async function pictureOf(
  drawn: HTMLCanvasElement,
  scale: number,
  caption: readonly CaptionPart[],
  colourOf: (token: string) => string,
): Promise<Blob> {
  const whole = new OffscreenCanvas(drawn.width, 1);
  const context = whole.getContext('2d');
  if (!context) throw new Error('this browser cannot create images');
  context.font = canvasFont(FONT_PX);
  const width = drawn.width / scale;
  let [x, line] = [MARGIN_PX, 1];
  const placed = caption.map(({ text, color }) => {
    const length = context.measureText(text).width;
    if (x > MARGIN_PX && x + length > width - MARGIN_PX) [x, line] = [MARGIN_PX, line + 1];
    const at = { text, color, x, y: line * LINE_PX };
    x += length + GAP_PX;
    return at;
  });
  const top = (line * LINE_PX + MARGIN_PX) * scale;
  // A canvas with another size forgets its font.
  whole.height = drawn.height + top;
  context.fillStyle = colourOf('--panel');
  context.fillRect(0, 0, whole.width, whole.height);
  context.drawImage(drawn, 0, top);
  context.scale(scale, scale);
  context.font = canvasFont(FONT_PX);
  for (const { text, color, x: left, y } of placed) {
    context.fillStyle = colourOf(color);
    context.fillText(text, left, y);
  }
  return whole.convertToBlob({ type: 'image/png' });
}
