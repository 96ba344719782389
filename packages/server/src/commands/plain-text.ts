/** Control characters, of which terminals make colours, titles and worse. */
const CONTROLS = /\p{Cc}/gu;

/** A text from elsewhere as it can be printed on a terminal, on one line. */
export function plainText(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}
