/** Control characters, which terminals interpret as colours, titles and commands. */
const CONTROLS = /\p{Cc}/gu;

/** A text from elsewhere as it can be printed on a terminal, on one line. */
export function plainText(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}
