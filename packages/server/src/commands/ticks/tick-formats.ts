import { csvTicks } from './csv-ticks.ts';
import { ndjsonTicks } from './ndjson-ticks.ts';
import { parquetTicks } from './parquet-ticks.ts';
import { UsageError } from '../../settings/read-settings.ts';
import { arrowTicks } from './arrow-ticks.ts';
import { freqtradeTicks } from './freqtrade-ticks.ts';
import { tardisTicks } from './tardis-ticks.ts';
import type { ExportFormat, TickFormat } from './tick-file.ts';

const tickFormats: readonly TickFormat[] = [csvTicks, ndjsonTicks, parquetTicks];

const exportFormats: readonly ExportFormat[] = [...tickFormats, arrowTicks, freqtradeTicks, tardisTicks];

/** The same for an export, which has more formats. */
export function chooseExport(flag: string | undefined, path: string | undefined): ExportFormat {
  const wanted =
    flag ?? (path?.endsWith('.csv.gz') ? 'tardis' : path?.endsWith('.arrow') ? 'arrow' : undefined);
  if (wanted === undefined) return chooseFormat(undefined, path);
  const format = exportFormats.find(({ name }) => name === wanted);
  if (format) return format;
  const names = exportFormats.map(({ name }) => name).join(', ');
  throw new UsageError(`--format must be one of ${names}, not "${flag}"`);
}

/** The format named by a flag, else by the file's extension; default: CSV. */
export function chooseFormat(flag: string | undefined, path: string | undefined): TickFormat {
  const end = path?.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const wanted = flag ?? (end === 'jsonl' ? 'ndjson' : end);
  const format = tickFormats.find(({ name }) => name === wanted);
  if (format) return format;
  if (flag === undefined) return csvTicks;
  const names = tickFormats.map(({ name }) => name).join(', ');
  throw new UsageError(`--format must be one of ${names}, not "${flag}"`);
}
