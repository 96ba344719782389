import type { FlowPoint } from '@crosstape/core';
import { SampleTable } from '../../store/sample-table.ts';
import type { Store } from '../../store/store.ts';

/** The flows of each followed coin over the retention time, minute by minute. */
export class FlowTable extends SampleTable<FlowPoint> {
  constructor(store: Store) {
    super(store, 'flows');
  }
}
