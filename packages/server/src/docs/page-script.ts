/** URL of the list of sections that the search uses. */
export const SEARCH_PATH = '/docs/search.json';
export const SCRIPT_PATH = '/docs/page.js';

/** The script of a page: copies code and searches all sections. Pages are readable without it. */
export const pageScript = `'use strict';
for (const pre of document.querySelectorAll('main pre')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'copy', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent.trimEnd());
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = 'Press Ctrl+C';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  const box = Object.assign(document.createElement('div'), { className: 'code' });
  pre.replaceWith(box);
  box.append(pre, button);
}
const FOUND_MAX = 12;
const box = document.querySelector('#search');
if (box) {
  box.hidden = false;
  const [input, list] = [box.querySelector('input'), box.querySelector('ul')];
  let sections;
  const load = async () => (sections ??= await (await fetch('${SEARCH_PATH}')).json());
  const score = ({ title, page, text }, words) => {
    let sum = 0;
    for (const word of words) {
      const here = title.toLowerCase().includes(word) ? 4 : page.toLowerCase().includes(word) ? 2 : text.toLowerCase().includes(word) ? 1 : 0;
      if (here === 0) return 0;
      sum += here;
    }
    return sum;
  };
  const show = async () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const all = words.length === 0 ? [] : await load();
    const found = all
      .map((one) => ({ ...one, rank: score(one, words) }))
      .filter(({ rank }) => rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .slice(0, FOUND_MAX);
    list.replaceChildren(
      ...found.map(({ title, page, href }) => {
        const [row, link, small] = ['li', 'a', 'small'].map((name) => document.createElement(name));
        Object.assign(link, { href, textContent: title });
        small.textContent = page;
        link.append(small);
        row.append(link);
        return row;
      }),
    );
    box.querySelector('[role=status]').textContent =
      words.length === 0 ? '' : found.length === 0 ? 'Nothing found' : found.length + ' sections found';
  };
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key === 'Escape') {
      input.value = '';
      void show();
    }
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || /INPUT|TEXTAREA/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
}
`;
