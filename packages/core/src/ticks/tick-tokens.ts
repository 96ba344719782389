/** Relation of a trade to the previous one. Only these five combinations exist: an order has one time and one side. */
export const LATER = 1;
export const OTHER_SIDE = 2;
export const SAME_ORDER = 4;
export const TOKEN_KINDS = [0, OTHER_SIDE, LATER, LATER | OTHER_SIDE, SAME_ORDER] as const;

/** Price steps up to this many ticks are part of the token; longer ones have their own section. */
export const NEAR_TICKS = 24;

/**
 * A token is one byte per trade: `MOVES * kind + move`. A move of 0 is the same price; `2n - 1` is a step of n ticks
 * with the taker (up for a buyer, down for a seller) and `2n` one against it, where `NEAR_TICKS + 1` represents any
 * longer step. Correlated values share a byte, so that a plain Huffman code finds the pattern.
 */
export const MOVES = 1 + 2 * (NEAR_TICKS + 1);
