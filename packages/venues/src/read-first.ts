/** The note on the terms of a venue that were not found to say anything particular. */
export const READ_FIRST =
  'Public market data without a key; read the terms before you pass figures on to others or sell them.';
