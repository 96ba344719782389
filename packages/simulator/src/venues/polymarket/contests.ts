import { mix, uniformOf } from '../../market/noise.ts';
import type { Topic } from './topics.ts';

/** Real events with a question for every candidate: enough of them to fill pages of 13 MB. */
const CONTESTS = 330;
const CANDIDATES_MIN = 12;
const CANDIDATES_MAX = 46;
/** Share of placeholder questions in such events [M]. */
const PLACEHOLDER_SHARE = 0.18;
/** Placeholders of the one contest that the usual market has, too. */
const PLACEHOLDERS = 90;
const LETTERS = 26;

const PLACES =
  'Aalborg Bergen Braga Bruges Cadiz Dresden Exeter Ghent Graz Haarlem Krakow Leeds Lucca Malmo Nantes Odense Porto Riga Split Turin Umea Vigo'.split(
    ' ',
  );
const CONTEST_NAMES = [
  'mayoral election',
  'song contest',
  'chess open',
  'marathon',
  'football cup',
  'film prize',
  'council presidency',
  'cycling tour',
  'book award',
  'sailing regatta',
  'poetry slam',
  'tennis masters',
  'cooking final',
  'rowing race',
  'debating league',
];
const SYLLABLES = 'al an be da el fi go ha in jo ka le mi no or pe ra si ta ul ve wi ya zo'.split(' ');

/** A topic with many candidates, each of whom is a question. */
export interface Contest extends Topic {
  readonly question: string;
  readonly candidates: readonly string[];
  /** Unknown names: their questions are listed, but not active. */
  readonly placeholders: readonly string[];
}

/** Part of every market. */
export const COUNCIL: Contest = {
  name: 'council election',
  tag: 'politics',
  question: 'Who wins the council election before',
  candidates: ['Ada Moss', 'Ben Hale', 'Cleo Park', 'Dan Frey'],
  placeholders: placeholderNames(PLACEHOLDERS),
};

/** Candidates of contests; the same for the same seed. */
export function contestsOf(seed: number): readonly Contest[] {
  return Array.from({ length: CONTESTS }, (_, i) => {
    const place = PLACES[i % PLACES.length] ?? '';
    const contest = CONTEST_NAMES[Math.floor(i / PLACES.length) % CONTEST_NAMES.length] ?? '';
    const salt = mix(seed, 0xc047e57 + i);
    const count = CANDIDATES_MIN + Math.floor((CANDIDATES_MAX - CANDIDATES_MIN + 1) * uniformOf(salt));
    const unknown = Math.round(PLACEHOLDER_SHARE * count);
    const candidates: string[] = [];
    for (let n = 0; n < count - unknown; n += 1) candidates.push(candidateName(mix(salt, n + 1), n));
    return {
      name: `${place} ${contest}`,
      tag: 'contests',
      question: `Who wins the ${place} ${contest} before`,
      candidates,
      placeholders: placeholderNames(unknown),
    };
  });
}

/** `Person A` to `Person Z`, then `Person AA` and on [M]. */
function placeholderNames(count: number): readonly string[] {
  const letter = (n: number): string => String.fromCharCode(65 + n);
  return Array.from(
    { length: count },
    (_, n) => `Person ${n < LETTERS ? '' : letter(Math.floor(n / LETTERS) - 1)}${letter(n % LETTERS)}`,
  );
}

/** Names differ within a contest by their initial. */
function candidateName(salt: number, n: number): string {
  const part = (count: number, from: number): string => {
    let text = '';
    for (let i = 0; i < count; i += 1) text += SYLLABLES[(mix(salt, from + i) >>> 0) % SYLLABLES.length];
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  };
  const initial = `${String.fromCharCode(65 + (n % 26))}${n >= 26 ? String.fromCharCode(65 + Math.floor(n / 26)) : ''}.`;
  return `${part(2, 0)} ${initial} ${part(3, 10)}`;
}
