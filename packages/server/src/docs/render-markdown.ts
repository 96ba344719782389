import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../http/escape-html.ts';
import { highlight } from './highlight.ts';

export interface RenderOptions {
  /** The target of a link in the text; `undefined` if it has none. */
  readonly linkOf: (href: string) => string | undefined;
}

/** Markdown of our own as HTML: headings can be linked to, wide tables scroll, and raw HTML is shown as text. */
export function renderMarkdown(markdown: string, { linkOf }: RenderOptions): string {
  const slugs = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const id = uniqueSlug(text, slugs);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      table(token: Tokens.Table): string {
        const cells = (row: readonly Tokens.TableCell[], tag: string): string =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const hasHead = token.header.some(({ text }) => text !== '');
        const head = hasHead ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>` : '';
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const text = this.parser.parseInline(tokens);
        const target = linkOf(href);
        if (target === undefined) return text;
        const rel = /^https?:/.test(target) ? ' rel="noreferrer noopener"' : '';
        return `<a href="${escapeHtml(target)}"${rel}>${text}</a>`;
      },
      code({ text, lang }: Tokens.Code): string {
        const [language = ''] = (lang ?? '').split(' ');
        return `<pre tabindex="0"><code data-language="${escapeHtml(language)}">${highlight(text, language)}\n</code></pre>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return escapeHtml(text);
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** As on GitHub, so that links within a document work in both places. */
function uniqueSlug(text: string, taken: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const times = taken.get(slug) ?? 0;
  taken.set(slug, times + 1);
  return times === 0 ? slug : `${slug}-${times}`;
}
