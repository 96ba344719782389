/** Hands a file to the browser's downloads. */
export function saveFile(name: string, parts: readonly BlobPart[], type = 'text/csv'): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
