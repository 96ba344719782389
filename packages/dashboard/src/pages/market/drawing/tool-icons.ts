import type { DrawingTool } from './drawing.ts';

/** Strokes on a field of 20 by 20. */
export const toolIcons: Readonly<
  Record<DrawingTool | 'snap' | 'undo' | 'redo' | 'lock' | 'remove' | 'removeAll', string>
> = {
  horizontal: 'M2 10h16M10 8.500v3',
  trend: 'M3 16 17 4M3 14.500v3M17 2.500v3',
  ray: 'M3 16 17 4M17 4h-4.500M17 4v4.500',
  rectangle: 'M3 5h14v10H3z',
  fibonacci: 'M3 4h14M3 8.500h14M3 12h14M3 16h14',
  measure: 'M3 13 13 3l4 4L7 17zM6 10l2 2M9 7l2 2',
  note: 'M3 4h14v9H9l-4 4v-4H3z',
  snap: 'M5 3v7a5 5 0 0 0 10 0V3h-3v7a2 2 0 0 1-4 0V3zM5 6h3M12 6h3',
  undo: 'M7 4 3.500 7.500 7 11M4 7.500h8a4 4 0 0 1 0 8.500H8',
  redo: 'm13 4 3.500 3.500L13 11M16 7.500H8a4 4 0 0 0 0 8.500h4',
  lock: 'M5 9h10v8H5zM7 9V6.500a3 3 0 0 1 6 0V9M10 12v2',
  removeAll: 'M2 5h11M5.500 5V3h4v2M4 5l.6 11h5.800L11 5M14 9h4M14 12.500h4M14 16h4',
  remove: 'M4 6h12M8 6V4h4v2M6 6l.7 11h6.600L14 6',
};
