export { type Black76, callDeltaOf, gammaOf, type Greeks, greeksOf, priceOf } from './black76.ts';
export { type DealerGex, dealerGex, type ProfilePoint, type StrikeGex } from './dealer-gex.ts';
export { dayOfLabel, expiryLabel, yearsToExpiry } from './expiry.ts';
export { maxPainByExpiry } from './max-pain.ts';
export { type ExpirySkew, skewByExpiry } from './skew.ts';
