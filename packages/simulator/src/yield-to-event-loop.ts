/** Lets whatever else is waiting have its turn, in the middle of long work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
