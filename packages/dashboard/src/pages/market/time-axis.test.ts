import { describe, expect, it } from 'vitest';
import { TimeAxis } from './time-axis.ts';

describe('the time axis of a chart', () => {
  it('has the library move every label that the edge of the chart would cut', () => {
    const axis = new TimeAxis();
    const marks = [2, 400].map((coord) => ({
      coord,
      label: '12:00',
      weight: 30,
      needAlignCoordinate: false,
    }));
    axis.maxTickMarkWeight(marks as never);
    expect(marks.map(({ needAlignCoordinate }) => needAlignCoordinate)).toEqual([true, true]);
  });
});
