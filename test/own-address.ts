let count = 0;

/**
 * A loopback address that no other client of a shared service has: requests, builds and connections are limited by
 * address. Each is in its own network.
 */
export function ownAddress(): string {
  count += 1;
  return `127.${1 + (process.pid % 250)}.${((process.pid >> 8) * 16 + count) % 256}.1`;
}
