export { ApiError, Unreachable } from './errors.ts';
