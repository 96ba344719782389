import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveTasks } from '../thread-tasks.ts';

/** Where the file `go` lets this module finish loading; `begun` and `done` show how far it is. */
const folder = process.env.SLOW_WORKER_FOLDER ?? '';

writeFileSync(join(folder, 'begun'), '');
while (!existsSync(join(folder, 'go')));
writeFileSync(join(folder, 'done'), '');

serveTasks({});
