import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flowFormulas } from './flow-formulas.ts';
import { pressureComponents } from './flow-pressure.ts';
import { signalRules } from './signal-rules.ts';

const dashboard = readFileSync(
  new URL('../../../../dashboard/src/parts/explanations.ts', import.meta.url),
  'utf8',
);
const text = readFileSync(new URL('../../../../../docs/flows.md', import.meta.url), 'utf8');

/** The rows of the table under a heading, cell by cell, without its head. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

describe('docs/flows.md', () => {
  it('has every formula of the code, and no other', () => {
    const formulas = Object.assign({}, ...Object.values(flowFormulas)) as Record<string, string>;
    const reported = Object.fromEntries(
      tableUnder('Figures').map(([field, how]) => [field?.replaceAll('`', ''), how]),
    );
    expect(reported).toEqual(formulas);
  });

  it('has every rule of a signal with its thresholds', () => {
    expect(tableUnder('Signals')).toEqual(
      signalRules.map(({ slug, layer, looksAt, warm, hot, unit }) => [
        `\`${slug}\``,
        layer,
        looksAt,
        `${warm} ${unit}`,
        `${hot} ${unit}`,
      ]),
    );
  });

  it('has every component of the score with its scale and weight', () => {
    expect(tableUnder('The score').map(([part, , scale, weight]) => [part, scale, weight])).toEqual(
      Object.entries(pressureComponents).map(([part, { scale, weight }]) => [
        `\`${part}\``,
        `${scale}`,
        `${weight}`,
      ]),
    );
  });
});

it('the dashboard shows the formula of the score', () => {
  expect(dashboard).toContain(`formula: '${flowFormulas.pressure.flowPressureScore}'`);
});
