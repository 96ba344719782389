/** Control characters, which terminals interpret as colours, titles and commands. */
const CONTROLS = /\p{Cc}/gu;

/** Untrusted text for a terminal, on one line. */
export function plainText(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}

/** Control characters except line breaks and tabs. */
const UNPRINTABLE = /[^\P{Cc}\n\t]/gu;

/** A text of several lines, or JSON, for a terminal: other control characters are escaped as JSON escapes them. */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
