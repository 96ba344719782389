/** When the last message came, trades of other coins that are as old as this may still have been under way. */
export const FLIGHT_MS = 1_000;
