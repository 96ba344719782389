import { systemClock } from '@crosstape/client';

/** The crosshair of a chart appears earlier: a finger that moves then reads values, one that stays opens the menu. */
const PRESS_MS = 500;
/** A finger that moves further pans, scrolls or reads, in pixels. */
const STILL_PX = 10;

/** Calls when one finger stays at a point of an element. Browsers without a menu for it send no `contextmenu`. */
export function onLongPress(element: HTMLElement, call: (x: number, y: number) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const fingers = new Set<number>();
  let pressed: { readonly x: number; readonly y: number; readonly cancel: () => void } | undefined;
  const drop = (): void => {
    pressed?.cancel();
    pressed = undefined;
  };
  const lift = ({ pointerId }: PointerEvent): void => {
    fingers.delete(pointerId);
    drop();
  };
  const press = ({ pointerType, pointerId, clientX: x, clientY: y }: PointerEvent): void => {
    if (pointerType !== 'touch') return;
    fingers.add(pointerId);
    drop();
    if (fingers.size > 1) return;
    const timer = systemClock.after(PRESS_MS, () => {
      pressed = undefined;
      call(x, y);
    });
    pressed = { x, y, cancel: () => timer.cancel() };
  };
  const move = ({ clientX, clientY }: PointerEvent): void => {
    if (pressed && Math.hypot(clientX - pressed.x, clientY - pressed.y) > STILL_PX) drop();
  };
  element.addEventListener('pointerdown', press, { signal });
  element.addEventListener('pointermove', move, { signal });
  for (const name of ['pointerup', 'pointercancel'] as const) addEventListener(name, lift, { signal });
  return () => {
    drop();
    ending.abort();
  };
}
