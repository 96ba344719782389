let family: string | undefined;

/** The font of the page for a canvas. Read once: reading a style may compute the styles of the whole page. */
export function canvasFont(px: number): string {
  family ??= getComputedStyle(document.body).fontFamily;
  return `${px}px ${family}`;
}
