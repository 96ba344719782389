/** Lets the event loop do other work before a long task goes on: live data go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
