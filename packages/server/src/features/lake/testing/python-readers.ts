import { execFile, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Debian's own Python, which has pandas and numpy from apt, whatever else is on the PATH. */
const DEBIAN_PYTHON = '/usr/bin/python3';
/** From the package index: a reader of Parquet for pandas, and Polars. The versions are named in `docs/lake.md`. */
const PACKAGES = [
  'fastparquet==2026.9.0',
  'cramjam==2.13.0',
  'fsspec==2026.9.0',
  'polars==1.44.2',
  'polars-runtime-32==1.44.2',
];
const INSTALL_MS_MAX = 120_000;
const run = promisify(execFile);

function canImport(python: string, modules: string): boolean {
  return spawnSync(python, ['-c', `import ${modules}`]).status === 0;
}

/** Python with pandas from Debian. */
export function pandasPython(): string | undefined {
  return canImport(DEBIAN_PYTHON, 'pandas') ? DEBIAN_PYTHON : undefined;
}

/**
 * Python with pandas and Polars for Parquet. CI installs what is missing; `undefined` if it is not installed, or no
 * package index has it.
 */
export async function parquetPython(): Promise<string | undefined> {
  if (pandasPython() === undefined) return undefined;
  const folder = join(tmpdir(), 'crosstape-parquet-python');
  const python = join(folder, 'bin/python');
  const isInstalled = (): boolean => canImport(python, 'pandas, fastparquet, polars');
  if (!isInstalled() && process.env['CI'] === 'true') await install(folder);
  return isInstalled() ? python : undefined;
}

async function install(folder: string): Promise<void> {
  const options = { timeout: INSTALL_MS_MAX };
  const pip = ['install', '--quiet', '--no-deps', '--retries', '0', '--timeout', '20'];
  try {
    await run(DEBIAN_PYTHON, ['-m', 'venv', '--system-site-packages', folder], options);
    await run(join(folder, 'bin/pip'), [...pip, ...PACKAGES], options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    process.stderr.write(`NOT RUN: pandas and Polars on Parquet, which pip cannot install: ${reason}\n`);
  }
}
