/** Line colours: names, by their number in `design/tokens.css`. */
export const lineColors = {
  1: 'Blue',
  2: 'Lime',
  3: 'Yellow',
  4: 'Violet',
  5: 'Green',
  6: 'Pink',
  7: 'Grey',
  8: 'Sky',
  9: 'Brown',
} as const;

export type LineColor = keyof typeof lineColors;

export function isLineColor(value: unknown): value is LineColor {
  return typeof value === 'number' && value in lineColors;
}

/** Its token. */
export function colorToken(color: LineColor): string {
  return `--series-${color}`;
}
