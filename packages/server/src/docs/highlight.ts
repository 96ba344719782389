import { escapeHtml } from '../http/escape-html.ts';

type Kind = 'note' | 'text' | 'word' | 'number';

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/;
const NUMBER = /\b\d[\d_]*(?:\.\d+)?\b/;
const words: Readonly<Record<string, string>> = {
  ts: 'as async await break class const continue export extends for from function if import in interface let new of readonly return throw try type undefined while yield null true false',
  python:
    'and as async await class def del elif else except False finally for from if import in is lambda None not or pass print raise return True try while with yield',
  sh: 'cd curl docker do done export for in jq node npm npx pip python sudo then',
  json: 'true false null',
};
const aliases: Readonly<Record<string, string>> = {
  js: 'ts',
  py: 'python',
  bash: 'sh',
  frames: 'json',
  typescript: 'ts',
};
const comments: Readonly<Record<string, RegExp>> = {
  ts: /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
  python: /#[^\n]*/,
  sh: /(?<=^|\s)#[^\n]*/,
};

/** Source text as HTML: comments, strings, numbers and keywords are marked, in known languages. */
export function highlight(source: string, language: string): string {
  const name = aliases[language] ?? language;
  const known = words[name];
  if (known === undefined) return escapeHtml(source);
  const keyword = new RegExp(`\\b(?:${known.replaceAll(' ', '|')})\\b`);
  const comment = comments[name];
  const kinds: readonly (readonly [Kind, RegExp])[] = [
    ...(comment ? [['note', comment] as const] : []),
    ['text', STRING],
    ['word', keyword],
    ['number', NUMBER],
  ];
  const all = new RegExp(
    kinds.map(([kind, { source: pattern }]) => `(?<${kind}>${pattern})`).join('|'),
    'gm',
  );
  let html = '';
  let at = 0;
  for (const match of source.matchAll(all)) {
    const kind = kinds.find(([one]) => match.groups?.[one] !== undefined)?.[0];
    html += `${escapeHtml(source.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(source.slice(at));
}
