/** Only the head of a page is looked at. */
const HEAD_CHARS = 20_000;

/** Whether a page is one that lets nobody in who is not a browser: `<title>Just a moment...</title>` [M], [K]. */
export function isBotWall(page: string): boolean {
  return /<title>\s*(just a moment|attention required|access denied|checking your browser)/i.test(
    page.slice(0, HEAD_CHARS),
  );
}
