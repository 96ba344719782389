import { mix, uniformOf } from '../../market/noise.ts';
import type { SimulatedQuestion } from './event-list.ts';

const IMAGES = 'https://polymarket-upload.s3.us-east-2.amazonaws.com';
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
const RULES = [
  'This market will resolve to "Yes" if the statement in its title is true at the time and date named there. Otherwise, this market will resolve to "No".',
  'If the event is postponed, the market stays open until it has taken place, but no longer than seven days after the date that was first announced. If it is cancelled without a new date, the market resolves to "No".',
  'If more than one outcome could be considered correct, the outcome that comes first in alphabetical order of its listed name applies.',
  'The primary resolution source is the official announcement of the organiser. A consensus of credible reporting may be used where no such announcement exists within 24 hours of the end.',
  'Clarifications that are published later apply to all questions of the event, including those that were listed before.',
];

type Details = Readonly<Record<string, unknown>>;

const known = new WeakMap<SimulatedQuestion, Details>();

/** Fields of a row that clients usually ignore: about 2 kB that never change [C]. */
export function detailsOf(question: SimulatedQuestion): Details {
  let details = known.get(question);
  if (!details) known.set(question, (details = printDetails(question)));
  return details;
}

function printDetails(question: SimulatedQuestion): Details {
  const { event, salt, slug } = question;
  const listed = new Date(event.listedMs).toISOString();
  const hex = (from: number, words: number): string =>
    Array.from({ length: words }, (_, i) => (mix(salt, from + i) >>> 0).toString(16).padStart(8, '0')).join(
      '',
    );
  const picture = `${IMAGES}/${slug}-${hex(20, 1)}.png`;
  return {
    description: `${question.text} ${RULES.join('\n\n')}`,
    image: picture,
    icon: picture,
    resolutionSource: '',
    marketMakerAddress: ZERO_ADDRESS,
    createdAt: listed,
    updatedAt: listed,
    new: false,
    featured: false,
    submitted_by: `0x${hex(30, 5)}`,
    resolvedBy: `0x${hex(40, 5)}`,
    restricted: true,
    questionID: `0x${hex(50, 8)}`,
    hasReviewedDates: true,
    umaBond: '500',
    umaReward: '5',
    customLiveness: 0,
    acceptingOrdersTimestamp: listed,
    clobRewards: [
      {
        id: String(salt >>> 0),
        conditionId: `0x${hex(60, 8)}`,
        assetAddress: `0x${hex(70, 5)}`,
        rewardsAmount: 0,
        rewardsDailyRate: 10,
        startDate: listed.slice(0, 10),
        endDate: '2500-12-31',
      },
    ],
    rewardsMinSize: 100,
    rewardsMaxSpread: 3.5,
    competitive: uniformOf(mix(salt, 80)),
    ready: false,
    funded: false,
    cyom: false,
    approved: true,
    automaticallyActive: true,
    clearBookOnStart: true,
    manualActivation: false,
    pagerDutyNotificationEnabled: false,
    pendingDeployment: false,
    deploying: false,
    rfqEnabled: false,
    holdingRewardsEnabled: false,
    feesEnabled: false,
  };
}
