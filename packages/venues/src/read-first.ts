/** Default note for venues without special terms. */
export const READ_FIRST =
  'Public market data without a key; read the terms before you pass figures on to others or sell them.';
