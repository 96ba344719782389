#!/usr/bin/env node
// Committed, so that it is there to be linked before the build has made what it runs.
import { statSync } from 'node:fs';

const changedMs = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
// The compiler updates this file with every change; a release does not need it.
if (changedMs('../dist/.tsbuildinfo') > changedMs('../bundle/main.js'))
  process.stderr.write('The bundle is older than the compiled code. Run `npm run bundle` to update it.\n');

await import('../bundle/main.js');
