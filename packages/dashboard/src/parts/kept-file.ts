const VERSION = 1;

/** Something that this browser keeps, as a file: `{"crosstape":"layouts","version":1,"layouts":{…}}`. */
export function printKept(what: string, value: unknown): string {
  return `${JSON.stringify({ crosstape: what, version: VERSION, [what]: value }, null, 2)}\n`;
}

/** What a file of `printKept` contains, or what is wrong with it in a sentence. */
export function parseKept<Value>(
  text: string,
  what: string,
  isValid: (value: unknown) => value is Value,
): { readonly value: Value } | { readonly error: string } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return { error: 'The file is not JSON.' };
  }
  const { crosstape, version, [what]: value } = (file ?? {}) as Record<string, unknown>;
  if (crosstape !== what) return { error: `This is not a ${what} file.` };
  if (version !== VERSION) return { error: `File version ${String(version)} is not supported.` };
  return isValid(value) ? { value } : { error: `The file contains malformed ${what}.` };
}
