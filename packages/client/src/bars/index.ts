export { BuildFailed, type BuildOptions, type BuildSpec, buildBars } from './build-bars.ts';
export { type LiveBars, liveBars } from './live-bars.ts';
export { type FootprintSpec, liveFootprints } from './live-footprints.ts';
