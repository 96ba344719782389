import { csvTicks } from './csv-ticks.ts';
import { ndjsonTicks } from './ndjson-ticks.ts';
import { parquetTicks } from './parquet-ticks.ts';
import { UsageError } from '../../settings/read-settings.ts';
import type { TickFormat } from './tick-file.ts';

const tickFormats: readonly TickFormat[] = [csvTicks, ndjsonTicks, parquetTicks];

/** The format that a flag names, or else the end of a file's name; CSV when neither says any. */
export function chooseFormat(flag: string | undefined, path: string | undefined): TickFormat {
  const end = path?.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const wanted = flag ?? (end === 'jsonl' ? 'ndjson' : end);
  const format = tickFormats.find(({ name }) => name === wanted);
  if (format) return format;
  if (flag === undefined) return csvTicks;
  const names = tickFormats.map(({ name }) => name).join(', ');
  throw new UsageError(`--format must be one of ${names}, not "${flag}"`);
}
