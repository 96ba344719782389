import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sample } from './extract.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');

/** Errors of a strict compiler in TypeScript samples, each a separate file. */
export function compileErrors(samples: readonly Sample[]): readonly string[] {
  // Where programs find what they import.
  const folder = mkdtempSync(join(root, 'node_modules/.compiled-'));
  try {
    for (const [i, { text }] of samples.entries()) writeFileSync(join(folder, `${i}.ts`), text);
    const config = {
      extends: join(root, 'tsconfig.tests.json'),
      // The types that are published.
      compilerOptions: { incremental: false, tsBuildInfoFile: null, customConditions: [] },
      files: samples.map((_, i) => `${i}.ts`),
      // Else those of the extended file, which is the whole repository.
      include: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const args = [compiler, '-p', folder, '--pretty', 'false'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return stdout
      .split('\n')
      .filter((line) => /\berror TS/.test(line))
      .map((line) => {
        const [, i, at, message] = /^(\d+)\.ts\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? [];
        const sample = samples[Number(i)];
        return sample ? `${sample.file}:${sample.line + Number(at) - 1} ${message}` : line;
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
