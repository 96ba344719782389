import { CaptureCheck } from '../../capture/check-capture.ts';
import { sampleFields } from '../../capture/generated/sample-fields.ts';
import { CaptureReader } from '../../capture/read-capture.ts';
import type { SourceReport } from '../../capture/source-report.ts';
import { readLine, UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';
import { escapeControls } from '../../platform/plain-text.ts';
import { printTable } from '../print-table.ts';

const CUT_OFF =
  'The file does not end as a capture does: it was cut off, and only what is there was checked.';

/** Runs a capture through the parsers. */
export const check: Command['run'] = async (args, { out, error }) => {
  const { switches, words } = readLine(args, { names: [], switches: ['json'], wordsMax: 1 });
  const [path] = words;
  if (path === undefined)
    throw new UsageError('capture check needs the file: crosstape capture check capture.ndjson.gz');
  const reader = await CaptureReader.open(path);
  const checking = new CaptureCheck();
  for await (const line of reader.lines()) checking.add(line);
  const sources = checking.report(sampleFields);
  const refused = sources.filter((one) => one.refused + one.refusedRows > 0);
  if (switches.has('json'))
    out(
      escapeControls(
        JSON.stringify({ capture: reader.header, isComplete: reader.isComplete, sources }, null, 2),
      ),
    );
  else for (const block of printReport(sources)) out(`${block}\n`);
  if (!reader.isComplete) error(CUT_OFF);
  if (!switches.has('json')) out(verdict(sources, refused));
  return refused.length > 0 ? 1 : 0;
};

function printReport(sources: readonly SourceReport[]): readonly string[] {
  const table = sources.map((one) =>
    [
      one.source,
      one.payloads,
      one.accepted,
      one.refused,
      one.refusedRows,
      one.errors,
      one.newFields.length,
      one.missingFields.length,
    ].map(String),
  );
  const head = [
    'source',
    'payloads',
    'accepted',
    'refused',
    'refused rows',
    'errors',
    'new fields',
    'missing',
  ];
  return [
    printTable([head, ...table], new Set([1, 2, 3, 4, 5, 6, 7])),
    ...printDetails('Refused', sources, ({ reasons }) =>
      reasons.map(({ reason, count }) => `${count} × ${reason}`),
    ),
    ...printDetails('Errors', sources, ({ errorReasons }) =>
      errorReasons.map(({ reason, count }) => `${count} × ${reason}`),
    ),
    ...printDetails('Fields that no sample has', sources, ({ newFields }) => newFields),
    ...printDetails('Fields that every sample has, missing here', sources, (one) => one.missingFields),
  ];
}

function printDetails(
  title: string,
  sources: readonly SourceReport[],
  linesOf: (source: SourceReport) => readonly string[],
): readonly string[] {
  const rows = sources.flatMap((one) => linesOf(one).map((line) => [`  ${one.source}`, line]));
  return rows.length === 0 ? [] : [`${title}\n${printTable(rows)}`];
}

function verdict(sources: readonly SourceReport[], refused: readonly SourceReport[]): string {
  const sum = (of: (one: SourceReport) => number): number => sources.reduce((all, one) => all + of(one), 0);
  const all = `${sum(({ payloads }) => payloads)} payloads of ${sources.length} sources`;
  if (refused.length === 0) return `${all}: every one is accepted.`;
  const rows = sum(({ refusedRows }) => refusedRows);
  return `${all}: ${sum((one) => one.refused)} payloads and ${rows} rows are refused (${refused.map(({ source }) => source).join(', ')}).`;
}
