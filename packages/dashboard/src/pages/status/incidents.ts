interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: string;
  readonly reason?: string;
}

/** Stretches since a time that are not complete, newest first. */
export function incidentsOf<One extends Stretch>(stretches: readonly One[], sinceMs: number): readonly One[] {
  return stretches.filter(({ state, to }) => state !== 'complete' && to > sinceMs).toReversed();
}

/** `8 s`, `4 min 10 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  const two = (large: number, name: string, small: number, smallName: string): string =>
    small === 0 ? `${large} ${name}` : `${large} ${name} ${small} ${smallName}`;
  if (hours > 0) return two(hours, 'h', minutes % 60, 'min');
  return minutes > 0 ? two(minutes, 'min', seconds % 60, 's') : `${seconds} s`;
}
