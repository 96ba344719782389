/** Only the head of a page is looked at. */
const HEAD_CHARS = 20_000;
/** Titles are short. */
const TITLE = /<title\b[^>]{0,500}>([^<]{0,500})/i;

/** How the titles of walls begin, or whose name stands in them [M], [K]. */
const WALLS: readonly RegExp[] = [
  /^just a moment\b/i,
  /^one moment,? please\b/i,
  /^please wait\W*cloudflare\b/i,
  /^attention required\b/i,
  /^access denied\b/i,
  /^checking your browser\b/i,
  /^ddos-guard\b/i,
  /^human verification\b/i,
  /\bsucuri website firewall\b/i,
];

/** Whether a page is a bot wall that admits browsers only: `<title>Just a moment...</title>`. */
export function isBotWall(page: string): boolean {
  const title = TITLE.exec(page.slice(0, HEAD_CHARS))?.[1]?.trim() ?? '';
  return WALLS.some((wall) => wall.test(title));
}
