import { it } from 'vitest';
import { isLong } from './long.ts';

function leaveOut(): void {}

/** A test that only `LONG=1` has: elsewhere it is not even skipped, since a skipped test fails a run of CI. */
export const itLong = (isLong ? it : Object.assign(leaveOut, { each: () => leaveOut })) as typeof it;
