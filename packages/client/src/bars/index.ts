export { allowedText, type BarParam, barAt, barKinds, type ResultPack, validateSpec } from '@crosstape/core';
export { BuildFailed, type BuildOptions, type BuildSpec, buildBars, readBars } from './build-bars.ts';
export { type LiveBars, liveBars } from './live-bars.ts';
export { type FootprintSpec, liveFootprints } from './live-footprints.ts';
