import {
  createChartEx,
  type DeepPartial,
  defaultHorzScaleBehavior,
  type IChartApi,
  type TickMarkWeightValue,
  type Time,
  type TimeChartOptions,
  type TimeMark,
} from 'lightweight-charts';

/** The time axis of the library, with labels moved into the chart where its edge would cut them. */
export class TimeAxis extends defaultHorzScaleBehavior() {
  override options(): TimeChartOptions {
    return super.options();
  }

  /** Called with the labels of a frame before they are drawn. */
  override maxTickMarkWeight(marks: TimeMark[]): TickMarkWeightValue {
    for (const mark of marks) mark.needAlignCoordinate = true;
    return super.maxTickMarkWeight(marks);
  }
}

export function createTimeChart(place: HTMLElement, options: DeepPartial<TimeChartOptions>): IChartApi {
  return createChartEx<Time, TimeAxis>(place, new TimeAxis(), options);
}
