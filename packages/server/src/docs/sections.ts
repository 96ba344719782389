/** A section of a page, as the search finds it. */
export interface Section {
  readonly title: string;
  /** Title of its page. */
  readonly page: string;
  readonly href: string;
  /** How it begins. */
  readonly text: string;
}

/** Enough to find a section by, and little to load. */
const TEXT_MAX = 240;

/** The sections of a page that was rendered from Markdown. */
export function sectionsOf(
  html: string,
  page: { readonly title: string; readonly path: string },
): readonly Section[] {
  return html.split(/(?=<h[1-3] id=")/).flatMap((part) => {
    const found = /^<h[1-3] id="([^"]+)">(.*?) <a class="anchor"/s.exec(part);
    if (!found) return [];
    const [, id = '', title = ''] = found;
    const body = plainText(part.slice(part.indexOf('\n') + 1));
    return [
      {
        title: plainText(title),
        page: page.title,
        href: `${page.path}#${id}`,
        text: body.slice(0, TEXT_MAX),
      },
    ];
  });
}

function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
