export { createLog, type Log } from './platform/log.ts';
export type { JobRunner } from './platform/jobs.ts';
export { startThreadJobs } from './platform/thread-jobs.ts';
export { type Service, type ServiceOptions, startService } from './service.ts';
export { readSettings } from './settings/read-settings.ts';
export type { Settings } from './settings/settings.ts';
