/** How far back a standby buffers: longer than a lease and an outage of the server last. */
export const STANDBY_MS = 60_000;
/** Frames this long before the previous leader's last confirmed message were received by it as well. */
export const SEAM_MS = 5_000;
