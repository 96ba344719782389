import { type TickMarkType, TickMarkType as Type } from 'lightweight-charts';
import type { Zone } from '../../format/times.ts';
import { clockTime, day, dayAndTime, minuteTime } from '../../format/times.ts';

/** Bars of some kinds share a millisecond; on the axis each is this much later than the previous one, in seconds. */
const STEP_SECONDS = 1e-5;
const MINUTE_MS = 60_000;

/**
 * The position of a bar on the time axis: its true time in seconds. The chart finds days and hours in UTC, so in local
 * time positions are moved by the offset.
 */
export function axisTime(openTs: number, zone: Zone, previous = -Infinity): number {
  const shiftMs = zone === 'UTC' ? 0 : -new Date(openTs).getTimezoneOffset() * MINUTE_MS;
  return Math.max((openTs + shiftMs) / 1_000, previous + STEP_SECONDS);
}

/** The label below the axis: the first bar of a day names the day. */
export function tickText(openTs: number, type: TickMarkType, zone: Zone): string {
  if (type === Type.Year) return String(new Date(openTs).getUTCFullYear());
  if (type === Type.Month || type === Type.DayOfMonth) return day(openTs, zone);
  return (type === Type.TimeWithSeconds ? clockTime : minuteTime)(openTs, zone);
}

/** The label of the crosshair. */
export function crosshairText(openTs: number, zone: Zone): string {
  return dayAndTime(openTs, zone);
}
