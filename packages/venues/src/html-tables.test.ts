import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtmlTables } from './html-tables.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function printCell(text: string): string {
  return `<td class="x"><span>${text.replaceAll(/[&<>]/g, (one) => entities[one] ?? one)}</span></td>`;
}

describe('tables of a page', () => {
  it('returns any cell text unchanged', () => {
    const cell = fc
      .string()
      .map((text) => text.replaceAll(/\s+/g, ' ').trim())
      .filter((text) => !/&#?\w+;/.test(text));
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, (table) => {
        const body = table.map((row) => `<tr>${row.map(printCell).join('\n')}</tr>`).join('');
        expect(readHtmlTables(`<p>a<table>${body}</table>`)).toEqual([table]);
      }),
    );
  });

  it('overlooks what only looks like a table: scripts, styles, comments', () => {
    const fake = '<table><tr><td>1</td></tr></table>';
    const page = `<script>"${fake}"</script><style>${fake}</style><!-- ${fake} --><TABLE><TR><TD>2</TABLE>`;
    expect(readHtmlTables(page)).toEqual([[['2']]]);
  });

  it('keeps a table within a table apart from it', () => {
    const inner = '<table><tr><td>in</td></tr></table>';
    expect(readHtmlTables(`<table><tr><td>o${inner}ut</td></tr></table>`)).toEqual([[['in']], [['out']]]);
  });

  it('fills the places that a cell spans', () => {
    const rows = '<tr><td rowspan=2>a<td colspan="2">b<td>c</tr><tr><td>d<td>e<td>f</tr>';
    expect(readHtmlTables(`<table>${rows}</table>`)).toEqual([
      [
        ['a', 'b', '', 'c'],
        ['', 'd', 'e', 'f'],
      ],
    ]);
  });

  it('has no table that is not closed', () => {
    expect(readHtmlTables('<table><tr><td>1</td></tr>')).toEqual([]);
  });

  it('refuses pages of excessive depth or size', () => {
    expect(() => readHtmlTables('<table><tr><td>'.repeat(30))).toThrow('more than 20 deep');
    expect(() => readHtmlTables(`<table>${'<td colspan=100>'.repeat(3_000)}</table>`)).toThrow(
      'more than 200000 cells',
    );
  });
});
