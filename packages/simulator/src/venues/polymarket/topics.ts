/** The subject of questions, as the venue tags it. */
export interface Topic {
  readonly name: string;
  readonly tag: string;
  /** Absent if it is not about a price. */
  readonly coin?: string;
}

export const COIN_TOPICS: readonly (Topic & { readonly coin: string })[] = [
  { name: 'Bitcoin', tag: 'bitcoin', coin: 'BTC' },
  { name: 'Ethereum', tag: 'ethereum', coin: 'ETH' },
  { name: 'Solana', tag: 'solana', coin: 'SOL' },
  { name: 'XRP', tag: 'xrp', coin: 'XRP' },
  { name: 'Dogecoin', tag: 'dogecoin', coin: 'DOGE' },
  { name: 'BNB', tag: 'bnb', coin: 'BNB' },
  { name: 'Hyperliquid', tag: 'hyperliquid', coin: 'HYPE' },
];

export interface OtherTopic extends Topic {
  readonly question: string;
  readonly outcomes: readonly string[];
}

const YES_NO = ['Yes', 'No'];

/** One has three outcomes, which has occurred at the venue. */
export const OTHER_TOPICS: readonly OtherTopic[] = [
  other('rain in Lisbon', 'weather', 'Will it rain in Lisbon on'),
  other('snow in Vienna', 'weather', 'Will snow lie in Vienna on'),
  other('rate cut', 'economy', 'Will a central bank have cut its rate before'),
  other('inflation above 3 %', 'economy', 'Will inflation be reported above 3 % before'),
  other('oil above 80', 'economy', 'Will oil close above 80 dollars before'),
  other('new chess record', 'chess', 'Will the chess rating record fall before'),
  other('moon landing', 'space', 'Will anyone land on the moon before'),
  other('northern derby', 'football', 'Who wins the northern derby on', ['Harbour', 'Hill']),
  other('southern derby', 'football', 'Who wins the southern derby on', ['Mill', 'Mine']),
  other('city cup', 'football', 'Who wins the city cup before', ['East', 'West', 'Neither']),
];

function other(
  name: string,
  tag: string,
  question: string,
  outcomes: readonly string[] = YES_NO,
): OtherTopic {
  return { name, tag, question, outcomes };
}
