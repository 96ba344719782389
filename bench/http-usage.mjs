/** Reports the port and further details to the parent, and on request the processor time used so far in microseconds. */
export function reportUsage(port, more = {}) {
  process.send?.({ port, ...more });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuUs: user + system });
  });
  process.on('disconnect', () => process.exit(0));
}
