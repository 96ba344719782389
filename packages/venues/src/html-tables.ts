import { Malformed } from './venue.ts';

/** The texts of a table's cells, row by row. Of a cell that spans several places the others are empty. */
export type HtmlTable = readonly (readonly string[])[];

const DEPTH_MAX = 20;
const CELLS_MAX = 200_000;
const SPAN_MAX = 100;

/** What is no text: scripts and styles as a whole, comments, tags. Each alternative continues to its end, or to that of the page. */
const MARKUP = /<(script|style)\b[^>]*>.*?(?:<\/\1|$)|<!--.*?(?:-->|$)|<(\/?[a-z][a-z0-9]*)[^>]*>/gis;

/** Every table that is closed, in the order of their ends. Of tags within cells only the text is kept. */
export function readHtmlTables(html: string): readonly HtmlTable[] {
  const tables: HtmlTable[] = [];
  const open: TableBuilder[] = [];
  let at = 0;
  // Cut where the last tag ends, so that each has an end to be found.
  for (const found of html.slice(0, html.lastIndexOf('>') + 1).matchAll(MARKUP)) {
    open.at(-1)?.addText(html.slice(at, found.index));
    at = found.index + found[0].length;
    const name = found[2]?.toLowerCase();
    if (name === 'table') {
      if (open.length === DEPTH_MAX)
        throw new Malformed(`tables lie in each other more than ${DEPTH_MAX} deep`);
      open.push(new TableBuilder());
    } else if (name === '/table') {
      const table = open.pop();
      if (table) tables.push(table.end());
    } else if (name !== undefined) open.at(-1)?.addTag(name, found[0]);
  }
  return tables;
}

interface OpenCell {
  text: string;
  readonly columns: number;
  readonly rows: number;
}

/** A table from its first tag to its last. */
class TableBuilder {
  readonly #rows: string[][] = [];
  /** By column: further rows that a cell above reaches into. */
  readonly #covered: number[] = [];
  #row: string[] | undefined;
  #cell: OpenCell | undefined;
  #cells = 0;

  addText(text: string): void {
    if (this.#cell) this.#cell.text += text;
  }

  addTag(name: string, tag: string): void {
    if (name === 'tr') {
      this.#endRow();
      this.#row = [];
    } else if (name === '/tr') this.#endRow();
    else if (name === 'td' || name === 'th') {
      this.#endCell();
      this.#cell = { text: '', columns: spanOf(tag, 'colspan'), rows: spanOf(tag, 'rowspan') };
    } else if (name === '/td' || name === '/th') this.#endCell();
    else if (name === 'br') this.addText(' ');
  }

  end(): HtmlTable {
    this.#endRow();
    return this.#rows;
  }

  #endCell(): void {
    const cell = this.#cell;
    if (!cell) return;
    this.#cell = undefined;
    this.#row ??= [];
    this.#skipCovered(this.#row);
    for (let i = 0; i < cell.columns; i += 1) {
      this.#covered[this.#row.length] = cell.rows - 1;
      this.#push(this.#row, i === 0 ? plainText(cell.text) : '');
    }
  }

  #endRow(): void {
    this.#endCell();
    if (!this.#row) return;
    this.#skipCovered(this.#row);
    this.#rows.push(this.#row);
    this.#row = undefined;
  }

  #skipCovered(row: string[]): void {
    for (let left = this.#covered[row.length]; left; left = this.#covered[row.length]) {
      this.#covered[row.length] = left - 1;
      this.#push(row, '');
    }
  }

  #push(row: string[], text: string): void {
    this.#cells += 1;
    if (this.#cells > CELLS_MAX) throw new Malformed(`a table has more than ${CELLS_MAX} cells`);
    row.push(text);
  }
}

function spanOf(tag: string, name: 'colspan' | 'rowspan'): number {
  const text = new RegExp(`\\s${name}\\s*=\\s*["']?(\\d{1,4})`, 'i').exec(tag)?.[1];
  return Math.min(Math.max(1, Number(text ?? 1)), SPAN_MAX);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  minus: '−',
  dagger: '†',
};

function plainText(text: string): string {
  return withoutEntities(text).replaceAll(/\s+/g, ' ').trim();
}

function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#x?[0-9a-f]{1,6}|[a-z]{1,8});/gi, (entity, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? entity;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10_ffff ? String.fromCodePoint(code) : entity;
  });
}
