/** When the last message arrived, trades of other coins up to this old may still have been in flight. */
export const FLIGHT_MS = 1_000;
