import { Kept } from '../../../frame/kept.svelte.ts';
import { type Drawings, isDrawings } from './drawing.ts';

/** The drawings of this browser. */
export const keptDrawings = new Kept<Drawings>('drawings', {}, isDrawings);
