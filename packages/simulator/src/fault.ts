import { DAY_MS } from '@crosstape/core';
import { type Fields, isFields, isWhole } from './json.ts';

/** The half of a venue that a fault strikes. */
export type Part = 'rest' | 'ws';

const STATUSES = [403, 404, 418, 422, 429, 451, 500] as const;
const WALL_STATUSES = [200, 403, 503] as const;

interface Common {
  readonly venue: string;
  /** Both when absent. */
  readonly part?: Part;
  /** Applies only to paths below the venue's id that contain this; absent: to all. */
  readonly path?: string;
  /** Chance to strike each time it could, 1 when absent. */
  readonly probability?: number;
  /** Until cleared when absent. */
  readonly forMs?: number;
}

type Kinds =
  /** Requests and socket upgrades are refused with an HTTP status. */
  | { readonly fault: 'status'; readonly status: (typeof STATUSES)[number]; readonly retryAfterS?: number }
  /** Requests are refused with the venue's own rate-limit error. */
  | { readonly fault: 'limit' }
  /** Requests meet a page that only browsers get past. */
  | { readonly fault: 'wall'; readonly status: (typeof WALL_STATUSES)[number] }
  /** Answers and frames are delayed. */
  | { readonly fault: 'slow'; readonly delayMs: number }
  /** Requests and upgrades are never answered. */
  | { readonly fault: 'hang' }
  /** The connection dies in the middle of an answer or a frame. */
  | { readonly fault: 'cut' }
  /** New connections are closed at once. */
  | { readonly fault: 'refuse' }
  /** Sockets stay open and send nothing, not even a pong. */
  | { readonly fault: 'freeze' }
  /** Trades are sent twice, in the wrong order, or not at all. */
  | { readonly fault: 'duplicate' }
  | { readonly fault: 'reorder' }
  | { readonly fault: 'drop' }
  /** The ids of a market's trades skip this many numbers, each time it strikes. */
  | { readonly fault: 'jump'; readonly by: number }
  /** Trades over REST end this long ago. */
  | { readonly fault: 'lag'; readonly lagMs: number }
  /** Answers and frames are noise, or end too early. */
  | { readonly fault: 'garbage' }
  | { readonly fault: 'truncate' }
  /** Numbers sent as text become numbers, and the reverse; for one field, or for all. */
  | { readonly fault: 'retype'; readonly field?: string }
  /** A name in answers and frames is another one. */
  | { readonly fault: 'rename'; readonly field: string }
  /** Answers and frames are whole, but every list in them is empty. */
  | { readonly fault: 'empty' }
  /** The venue's clock is wrong by so much. */
  | { readonly fault: 'skew'; readonly skewMs: number }
  /** The last complete ETF day is multiplied by this, for every fund. */
  | { readonly fault: 'surge'; readonly times: number };

export type FaultKind = Kinds['fault'];
export type Fault = Common & Kinds;
export type FaultOf<Kind extends FaultKind> = Common & Extract<Kinds, { readonly fault: Kind }>;

type Check = (value: unknown) => string | undefined;

const oneOf =
  (allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value) ? undefined : `is one of ${allowed.join(', ')}`;

const whole =
  (min: number, max: number): Check =>
  (value) =>
    isWhole(value, min, max) ? undefined : `is a whole number from ${min} to ${max}`;

const chance: Check = (value) =>
  typeof value === 'number' && value > 0 && value <= 1 ? undefined : 'is a number above 0 and at most 1';

const word: Check = (value) =>
  typeof value === 'string' && /^\w{1,40}$/.test(value) ? undefined : 'is a name of at most 40 letters';

/** A part of a path and query. */
const pathPart: Check = (value) =>
  typeof value === 'string' && /^[\w\-./?=&%,:]{1,200}$/.test(value)
    ? undefined
    : 'is a part of a path and its query, of at most 200 characters';

interface Parameters {
  readonly needs?: Readonly<Record<string, Check>>;
  readonly takes?: Readonly<Record<string, Check>>;
  /** The only part that it can strike. */
  readonly part?: Part;
  /** The only venue that it can strike. */
  readonly venue?: string;
  /** Applies to the venue as a whole: it acts before the request is known. */
  readonly isEverywhere?: true;
}

const PARAMETERS: Readonly<Record<FaultKind, Parameters>> = {
  status: { needs: { status: oneOf(STATUSES) }, takes: { retryAfterS: whole(0, 86_400) } },
  slow: { needs: { delayMs: whole(1, 600_000) } },
  hang: {},
  cut: {},
  refuse: {},
  limit: { part: 'rest' },
  wall: { needs: { status: oneOf(WALL_STATUSES) }, part: 'rest' },
  freeze: { part: 'ws' },
  duplicate: { isEverywhere: true },
  reorder: { isEverywhere: true },
  drop: { isEverywhere: true },
  jump: { needs: { by: whole(1, 1_000_000) }, part: 'ws', isEverywhere: true },
  lag: { needs: { lagMs: whole(1, DAY_MS) }, part: 'rest', isEverywhere: true },
  garbage: {},
  truncate: {},
  retype: { takes: { field: word } },
  rename: { needs: { field: word } },
  empty: {},
  skew: { needs: { skewMs: whole(-DAY_MS, DAY_MS) }, isEverywhere: true },
  surge: { needs: { times: whole(2, 1_000) }, part: 'rest', venue: 'farside' },
};

const FAULT_KINDS: readonly string[] = Object.keys(PARAMETERS);

/** Parses a fault from JSON; throws an error that says in one sentence what is wrong. */
export function readFault(value: unknown, venues: readonly string[]): Fault {
  if (!isFields(value)) throw new Error('a fault is an object');
  const complaint = complaintAbout(value, venues);
  if (!isFault(value, complaint)) throw new Error(complaint);
  return value;
}

export function isKind<Kind extends FaultKind>(fault: Fault, kind: Kind): fault is FaultOf<Kind> {
  return fault.fault === kind;
}

function isFault(row: Fields, complaint: string | undefined): row is Fields & Fault {
  return complaint === undefined;
}

function complaintAbout(row: Fields, venues: readonly string[]): string | undefined {
  const { fault: kind } = row;
  if (!isFaultKind(kind)) return `fault is one of ${FAULT_KINDS.join(', ')}`;
  const { needs = {}, takes = {}, part, venue, isEverywhere = false } = PARAMETERS[kind];
  const struck = venue === undefined ? venues : [venue];
  const required: Record<string, Check> = { fault: oneOf(FAULT_KINDS), venue: oneOf(struck), ...needs };
  const optional: Record<string, Check> = {
    part: oneOf(part === undefined ? ['rest', 'ws'] : [part]),
    probability: chance,
    forMs: whole(1, 7 * DAY_MS),
    ...(!isEverywhere && { path: pathPart }),
    ...takes,
  };
  for (const [name, check] of Object.entries({ ...required, ...optional })) {
    if (row[name] === undefined && name in optional) continue;
    const complaint = check(row[name]);
    if (complaint !== undefined) return `${name} of a ${kind} fault ${complaint}`;
  }
  const stray = Object.keys(row).find((name) => !(name in required) && !(name in optional));
  return stray === undefined ? undefined : `a ${kind} fault has no ${stray}`;
}

function isFaultKind(value: unknown): value is FaultKind {
  return typeof value === 'string' && Object.hasOwn(PARAMETERS, value);
}
