import { execFileSync, spawnSync } from 'node:child_process';
import { findChromium } from './market.ts';

interface Requirement {
  /** Debian packages to install in CI. */
  readonly packages: readonly string[];
  /** What cannot be tested without it. */
  readonly tests: string;
  readonly isInstalled: () => boolean;
}

/** Debian's own Python, which has the modules that apt installs, whatever else is on the PATH. */
export const python = '/usr/bin/python3';
const pythonModules = 'numpy, pandas, websockets, ensurepip';

/** Found once for all processes of a run: loading the modules takes a second. */
const PYTHON_FOUND = 'TESTS_FOUND_PYTHON';

/** Whether the tests of the Python client can run. */
export function hasPython(): boolean {
  const { env } = process;
  env[PYTHON_FOUND] ??= String(spawnSync(python, ['-c', `import ${pythonModules}`]).status === 0);
  return env[PYTHON_FOUND] === 'true';
}

function isOnPath(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

/** Whether metrics and alert rules can be checked as Prometheus reads them. */
export function hasPromtool(): boolean {
  return isOnPath('promtool');
}

const requirements: readonly Requirement[] = [
  {
    packages: ['chromium-headless-shell', 'fonts-liberation'],
    tests: 'the tests in a browser',
    isInstalled: () => findChromium() !== undefined,
  },
  {
    packages: ['redis-server'],
    tests: 'the tests on Redis',
    isInstalled: () => isOnPath('redis-server'),
  },
  {
    packages: ['rclone'],
    tests: 'the test of the lake with rclone',
    isInstalled: () => isOnPath('rclone'),
  },
  {
    packages: ['prometheus'],
    tests: "the check of metrics and alert rules with Prometheus' promtool",
    isInstalled: hasPromtool,
  },
  {
    packages: ['python3', 'python3-numpy', 'python3-pandas', 'python3-websockets', 'python3-venv'],
    tests: 'the tests of the Python client',
    isInstalled: hasPython,
  },
];

/** Every project of the run has this setup; one of them reports. */
const REPORTED = 'TESTS_LEFT_OUT_REPORTED';

/** Before all tests: in CI installs what is missing; elsewhere the last lines of the run say what was left out. */
export function setup(): void {
  const missing = requirements.filter(({ isInstalled }) => !isInstalled());
  if (missing.length === 0) return;
  if (process.env.CI !== 'true') return reportAtEnd(missing);
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-q'], options);
  const packages = missing.flatMap((one) => one.packages);
  execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], options);
  delete process.env[PYTHON_FOUND];
}

function reportAtEnd(missing: readonly Requirement[]): void {
  if (process.env[REPORTED] !== undefined) return;
  process.env[REPORTED] = 'true';
  process.once('exit', () => {
    for (const { tests } of missing) process.stderr.write(`NOT RUN: ${tests}\n`);
    const packages = missing.flatMap((one) => one.packages).join(' ');
    process.stderr.write(`To run them: apt-get install ${packages}; CI=true npm test installs it itself.\n`);
  });
}
