export * from './clock.ts';
export * from './decimal.ts';
export * from './health.ts';
export * from './manual-clock.ts';
export * from './random.ts';
export * from './records.ts';
export * from './ticks/tick-columns.ts';
export * from './venue-identity.ts';
