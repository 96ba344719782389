import { execFileSync, spawnSync } from 'node:child_process';

/** Programs that tests start, each the Debian package of its name, and what cannot be tested without it. */
const programs = { chromium: 'the tests in a browser', 'redis-server': 'the tests on Redis' } as const;
type Program = keyof typeof programs;

function isInstalled(program: Program): boolean {
  return spawnSync('which', [program]).status === 0;
}

/** Before all tests: in CI installs what is missing; on a person's machine says what will be left out. */
export function setup(): void {
  const missing = (Object.keys(programs) as Program[]).filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  if (process.env.CI !== 'true') {
    for (const program of missing)
      process.stderr.write(`NOT RUN: ${programs[program]}, because ${program} is not on the PATH\n`);
    return;
  }
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-q'], options);
  execFileSync('apt-get', ['install', '-y', '-q', ...missing], options);
}
