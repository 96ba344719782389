export { type Black76, callDeltaOf, gammaOf, priceOf } from './black76.ts';
export { type DealerGex, dealerGex, type StrikeGex } from './dealer-gex.ts';
export { dayOfLabel, expiryLabel, yearsToExpiry } from './expiry.ts';
export { type ExpirySkew, skewByExpiry } from './skew.ts';
