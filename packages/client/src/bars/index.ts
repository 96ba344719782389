export { BuildFailed, type BuildOptions, type BuildSpec, buildBars } from './build-bars.ts';
