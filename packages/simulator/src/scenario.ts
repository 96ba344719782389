import { readFile } from 'node:fs/promises';
import { type Fault, readFault } from './fault.ts';
import { isFields, isWhole, parseJson, reasonOf } from './json.ts';
import { VENUE_SIMULATORS } from './venues/index.ts';

const STEPS_MAX = 1000;
const AT_MAX_MS = 7 * 86_400_000;

/** A fault that begins this long after the start, and repeatedly when it has a period. */
export interface ScenarioStep {
  readonly atMs: number;
  readonly everyMs?: number;
  readonly fault: Fault;
}

export interface Scenario {
  readonly name: string;
  readonly steps: readonly ScenarioStep[];
}

const VENUES = VENUE_SIMULATORS.map((venue) => venue.id);

/** Written as in a file: `atMs`, the fault's own fields, and `everyMs` where it repeats. */
const NAMED: Readonly<Record<string, readonly unknown[]>> = {
  calm: [],
  outage: [
    { atMs: 30_000, venue: 'hyperliquid', fault: 'refuse', forMs: 60_000 },
    { atMs: 30_000, venue: 'hyperliquid', fault: 'cut', forMs: 60_000 },
  ],
  frozen: [{ atMs: 30_000, everyMs: 180_000, venue: 'hyperliquid', fault: 'freeze', forMs: 60_000 }],
  'messy-tape': [
    { atMs: 5000, venue: 'hyperliquid', part: 'ws', fault: 'duplicate', probability: 0.05 },
    { atMs: 5000, venue: 'hyperliquid', part: 'ws', fault: 'reorder', probability: 0.05 },
    { atMs: 5000, venue: 'hyperliquid', part: 'ws', fault: 'drop', probability: 0.01 },
  ],
  lying: [
    { atMs: 30_000, everyMs: 240_000, venue: 'hyperliquid', fault: 'garbage', forMs: 60_000 },
    {
      atMs: 110_000,
      everyMs: 240_000,
      venue: 'hyperliquid',
      fault: 'retype',
      field: 'openInterest',
      forMs: 60_000,
    },
    { atMs: 190_000, everyMs: 240_000, venue: 'hyperliquid', fault: 'truncate', forMs: 60_000 },
  ],
  limited: [
    { atMs: 30_000, everyMs: 180_000, venue: 'hyperliquid', fault: 'status', status: 429, forMs: 60_000 },
  ],
  blocked: [{ atMs: 30_000, venue: 'hyperliquid', fault: 'status', status: 451 }],
  flaky: [
    {
      atMs: 20_000,
      everyMs: 120_000,
      venue: 'hyperliquid',
      part: 'ws',
      fault: 'cut',
      probability: 0.01,
      forMs: 20_000,
    },
    {
      atMs: 60_000,
      everyMs: 120_000,
      venue: 'hyperliquid',
      part: 'rest',
      fault: 'slow',
      delayMs: 4000,
      forMs: 30_000,
    },
    {
      atMs: 90_000,
      everyMs: 120_000,
      venue: 'hyperliquid',
      part: 'rest',
      fault: 'status',
      status: 500,
      probability: 0.5,
      forMs: 30_000,
    },
  ],
};

export const SCENARIO_NAMES = Object.keys(NAMED);

/** A built-in scenario by its name, or one from a JSON file. Throws an error with one clear sentence. */
export async function readScenario(nameOrPath: string): Promise<Scenario> {
  const named = Object.hasOwn(NAMED, nameOrPath) ? NAMED[nameOrPath] : undefined;
  if (named) return parseScenario(nameOrPath, named);
  let text: string;
  try {
    text = await readFile(nameOrPath, 'utf8');
  } catch {
    throw new Error(
      `no scenario ${nameOrPath}: neither one of ${SCENARIO_NAMES.join(', ')} nor a file that can be read`,
    );
  }
  return parseScenario(nameOrPath, parseJson(text, `scenario ${nameOrPath}`));
}

function parseScenario(name: string, value: unknown): Scenario {
  if (!Array.isArray(value)) throw new Error(`scenario ${name} is not a list of steps`);
  if (value.length > STEPS_MAX) throw new Error(`scenario ${name} has more than ${STEPS_MAX} steps`);
  const steps = value.map((row: unknown, i) => {
    try {
      return parseStep(row);
    } catch (error) {
      throw new Error(`scenario ${name}, step ${i + 1}: ${reasonOf(error)}`, { cause: error });
    }
  });
  return { name, steps };
}

function parseStep(row: unknown): ScenarioStep {
  if (!isFields(row)) throw new Error('a step is an object');
  const { atMs, everyMs, ...rest } = row;
  if (!isWhole(atMs, 0, AT_MAX_MS))
    throw new Error(`atMs is a whole number of milliseconds from 0 to ${AT_MAX_MS}`);
  const fault = readFault(rest, VENUES);
  if (everyMs === undefined) return { atMs, fault };
  if (!isWhole(everyMs, 1, AT_MAX_MS))
    throw new Error(`everyMs is a whole number of milliseconds from 1 to ${AT_MAX_MS}`);
  if (fault.forMs === undefined || fault.forMs > everyMs) {
    throw new Error('a step that repeats has a forMs that is at most its everyMs');
  }
  return { atMs, everyMs, fault };
}
