import { CrashReporter } from '../crash-report.ts';
import { createLog } from '../log.ts';

/** Crashes with an error that quotes a secret, after a line of log that does. */
const [folder = '', secret = ''] = process.argv.slice(2);
const recentLines: string[] = [];
const log = createLog({ level: 'warn', secrets: [secret], recentLines, to: { write: () => {} } });
const settings = { PORT: 8080 };
new CrashReporter({ folder, secrets: [secret], settings, recentLines }).watchProcess();
log.warn({ url: `https://x/?token=${secret}` }, 'a line before the crash');
setImmediate(() => {
  throw new Error(`failed at ${secret}`, { cause: new Error('the first error') });
});
