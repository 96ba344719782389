import { expect, it } from 'vitest';
import { LegendRoom } from './legend-room.ts';

const info = { priceRange: { minValue: 1, maxValue: 2 } };

it('adds what the legend needs beyond the usual room, up to a third of the pane', () => {
  const room = new LegendRoom();
  expect(room.addTo(info, 500)).toBe(info);
  // Of 500 pixels 40 are free in any case.
  room.take(40, 'a');
  expect(room.addTo(info, 500)).toBe(info);
  room.take(100, 'a');
  expect(room.addTo(info, 500)).toEqual({ ...info, margins: { above: 60, below: 0 } });
  expect(room.addTo({ ...info, margins: { above: 80, below: 5 } }, 500)?.margins).toEqual({
    above: 80,
    below: 5,
  });
  expect(room.addTo(info, 150)?.margins?.above).toBe(50 - 12);
  expect(room.addTo(null, 500)).toBeNull();
});

it('stays as large as the legend was until its layout changes', () => {
  const room = new LegendRoom();
  expect(room.take(60, 'ema 900')).toBe(true);
  expect(room.take(42, 'ema 900')).toBe(false);
  expect(room.take(60, 'ema 900')).toBe(false);
  expect(room.take(78, 'ema 900')).toBe(true);
  expect(room.take(24, ' 900')).toBe(true);
  expect(room.addTo(info, 300)).toBe(info);
});
