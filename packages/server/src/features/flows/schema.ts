import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { count, flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

const coin = text('Ticker of the coin.');
const fetchedAt = timeMs('When the newest part was fetched.');
const bid = number('Best bid in USD.');
const ask = number('Best ask in USD.');
const volume24h = number('Volume of the last 24 hours in coins.');
const change24hPct = number('Change of the price over 24 hours, in percent.');

export const SpotTick = resource(
  'SpotTick',
  'The spot price of a coin on one venue. Prices quoted in USDT are converted to USD.',
  {
    coin,
    venue: text('Venue id.'),
    price: number('Price of the last trade in USD.'),
    bid,
    ask,
    volume24h,
    change24hPct,
    fetchedAt: timeMs('When it was fetched.'),
    quote: Type.Optional(text('Currency that the venue quotes in.')),
    rawPrice: Type.Optional(number('Price of the last trade as quoted.')),
    stale: Type.Optional(
      flag('True when it is older than 60 s, by the time of the venue or of receipt, or its conversion is.'),
    ),
  },
  {
    coin: 'BTC',
    venue: 'coinbase',
    price: 105_931.12,
    bid: 105_930.5,
    ask: 105_931.2,
    volume24h: 8_113.4,
    change24hPct: -1.24,
    fetchedAt: 1_790_000_000_000,
    quote: 'USD',
    rawPrice: 105_931.12,
  },
);

export const VenueSpreadSnap = resource(
  'VenueSpreadSnap',
  'Spot prices by venue relative to their median.',
  {
    coin,
    globalMedianUsd: number("Median of the fresh venues' prices in USD."),
    rows: Type.Array(
      Type.Object({
        venue: text('Venue id.'),
        priceUsd: number('Mid of bid and ask, or the last trade where a side is missing, in USD.'),
        basisBps: number('Distance from the median in basis points.'),
        bid,
        ask,
        volume24h,
        change24hPct,
        stale: flag('Older than 60 s, and so left out of the median.'),
        fetchedAt: timeMs('When it was fetched.'),
        quote: Type.Optional(text('Currency that the venue quotes in.')),
        rawPrice: Type.Optional(number('Price of the last trade as quoted.')),
        asOf: Type.Optional(timeMs("The older of the venue's own time and that of receipt.")),
        skewMs: Type.Optional(
          count(
            'Longest time between the receipt of this price and that of a price it is compared with, in ms.',
          ),
        ),
        skewed: Type.Optional(
          flag(
            'True when that is more than 2 s: the price is shown and left out of the median and of signals.',
          ),
        ),
        estimated: Type.Optional(
          Type.Array(
            choice(['bid', 'ask', 'change24hPct', 'volume24h'], { description: 'Name of a field.' }),
            {
              description:
                'Fields that the venue does not send: a missing side of the book is the price, a change is computed from the price a day ago on the other venues, and a volume is 0.',
            },
          ),
        ),
      }),
      { description: 'By venue.' },
    ),
    strongestPremiumVenue: text('Id of the dearest fresh venue.'),
    strongestDiscountVenue: text('Id of the cheapest fresh venue.'),
    fetchedAt,
    freshVenues: Type.Optional(count('Venues that the median is made from: fresh, and not skewed.')),
    skewMs: Type.Optional(
      count(
        'From the first of the prices behind the median that was received to the last, in ms; at most 2,000.',
      ),
    ),
    dispersionBps: Type.Optional(
      number('From the cheapest fresh venue to the dearest in basis points; absent of one venue alone.'),
    ),
    usdtUsd: Type.Optional(number('What USDT is worth in USD, by which prices were converted.')),
    usdtUsdAgeMs: Type.Optional(
      count('How much older the oldest price behind `usdtUsd` is than the newest of `rows`, in ms.'),
    ),
  },
  {
    coin: 'BTC',
    globalMedianUsd: 105_930.8,
    rows: [
      {
        venue: 'coinbase',
        priceUsd: 105_931.1,
        basisBps: 0.03,
        bid: 105_930.5,
        ask: 105_931.2,
        volume24h: 8_113.4,
        change24hPct: -1.24,
        stale: false,
        fetchedAt: 1_790_000_000_000,
        quote: 'USD',
        rawPrice: 105_931.12,
        asOf: 1_789_999_999_400,
        skewMs: 240,
        estimated: [],
      },
    ],
    strongestPremiumVenue: 'coinbase',
    strongestDiscountVenue: 'kraken',
    fetchedAt: 1_790_000_000_000,
    freshVenues: 5,
    skewMs: 240,
    dispersionBps: 3.2,
    usdtUsd: 0.9996,
    usdtUsdAgeMs: 1_200,
  },
);

export const KimchiPremiumSnap = resource(
  'KimchiPremiumSnap',
  'Price of a coin in Korea relative to other markets.',
  {
    coin,
    region: text('The region.'),
    localVenue: text('Id of the Korean venue.'),
    localPair: Type.String({ pattern: '^KRW-', description: 'Its pair, `KRW-<coin>`.' }),
    localPriceKrw: number('Price there in KRW.'),
    usdKrw: number('Reference rate, KRW per USD.'),
    localPriceUsd: number('Price there in USD.'),
    globalMedianUsd: number('Median of the spot venues in USD.'),
    premiumPct: number('Premium in percent.'),
    premiumBps: number('Premium in basis points.'),
    bidAskPressure: orNull(
      Type.Number(),
      'Bid size less ask size over their sum, −1 to 1, of the Korean book; null when unavailable.',
    ),
    interpretation: choice(['premium', 'discount', 'neutral'], {
      description: '`premium` above 50 basis points, `discount` below −50.',
    }),
    fetchedAt,
    premiumBpsUsdt: Type.Optional(
      number('Premium in basis points by the KRW/USDT price; absent while that is not known.'),
    ),
    usdKrwSource: Type.Optional(text('The source of the reference rate.')),
    usdKrwAsOf: Type.Optional(timeMs('Time of the reference rate.')),
    usdKrwStale: Type.Optional(
      flag(
        'Whether the reference rate is older than four days: the premium is then shown, and makes no signal and no part of the score.',
      ),
    ),
    usdtKrw: Type.Optional(number('What a USDT costs on the Korean venue in KRW.')),
    skewMs: Type.Optional(
      count(
        'From the first of the compared prices that was received, the Korean one among them, to the last, in ms.',
      ),
    ),
    skewed: Type.Optional(
      flag(
        'True when that is more than 2 s: the premium is shown, and makes no signal and no part of the score.',
      ),
    ),
  },
  {
    coin: 'BTC',
    region: 'KR',
    localVenue: 'upbit',
    localPair: 'KRW-BTC',
    localPriceKrw: 147_900_000,
    usdKrw: 1_384.2,
    localPriceUsd: 106_848.7,
    globalMedianUsd: 105_930.8,
    premiumPct: 0.866,
    premiumBps: 86.6,
    bidAskPressure: 0.12,
    interpretation: 'premium',
    fetchedAt: 1_790_000_000_000,
    premiumBpsUsdt: 61.2,
    usdKrwSource: 'dunamu',
    usdKrwAsOf: 1_789_999_940_000,
    usdKrwStale: false,
    usdtKrw: 1_387.1,
    skewMs: 610,
  },
);

const Confidence = choice(['low', 'medium', 'high'], { description: 'Confidence level.' });

export const EtfFlowProxySnap = resource(
  'EtfFlowProxySnap',
  'Daily ETF flows beside the pressure on the spot venue that ETF custodians use.',
  {
    asset: choice(['bitcoin', 'ethereum'], { description: 'The asset.' }),
    daily: orNull(
      Type.Object({
        latestTotalUsdm: number('Net flow of the last complete day in millions of USD.'),
        cumulativeUsdm: number(
          'Sum of all flows in millions of USD, since launch unless `cumulativeFromMs` is there; without `refusedDays`.',
        ),
        cumulativeFromMs: Type.Optional(
          timeMs('First day that counts in the sum, where it is not that of the launch.'),
        ),
        latestDateMs: timeMs('00:00 UTC of that day.'),
        source: text('The source: `farside`, or `operator:` and a host or `file` (`ETF_SOURCE`).'),
        deviations: Type.Optional(
          number('That day in standard deviations of the complete days of the last 30.'),
        ),
        refusedDays: Type.Optional(
          Type.Array(Type.String(), {
            description:
              'Days with inconsistent figures, as the source writes them: they are in no figure here.',
          }),
        ),
      }),
      'The reported flows; null while their source is closed and nothing of the last week is known. `meta.sources` names it.',
    ),
    spotProxy: Type.Object(
      {
        proxyPremiumBps: number('Proxy venue against the median of the others, in basis points.'),
        proxyVolumeShare: number("Its share of the spot venues' 24-hour volume, 0 to 1."),
        proxyTapeDeltaUsd5m: number('Taker buys less taker sells of the last 5 minutes in USD.'),
        proxyNetTradeUsd5m: number('The same, prints of at least 10,000 USD only.'),
        confidence: Confidence,
        label: text('Says that this is venue pressure and not ETF attribution.'),
        skewMs: Type.Optional(
          count('From the first of the prices behind the premium that was received to the last, in ms.'),
        ),
        skewed: Type.Optional(
          flag(
            'True when that is more than 2 s: the premium is shown, and makes no signal and no part of the score.',
          ),
        ),
        tapeComplete: Type.Optional(
          flag('Whether trades were received for the whole 5 minutes; false just after a start.'),
        ),
        sinceTs: Type.Optional(
          timeMs('Since when no trade is missing, while the figures of 5 minutes cover less than that.'),
        ),
      },
      { description: 'The pressure on the proxy venue.' },
    ),
    fetchedAt,
  },
  {
    asset: 'bitcoin',
    daily: {
      latestTotalUsdm: 92.3,
      cumulativeUsdm: 61_240.5,
      latestDateMs: 1_789_862_400_000,
      source: 'farside',
      deviations: 0.41,
      refusedDays: ['14 Sep 2026'],
    },
    spotProxy: {
      proxyPremiumBps: 1.2,
      proxyVolumeShare: 0.31,
      proxyTapeDeltaUsd5m: 812_334.1,
      proxyNetTradeUsd5m: 640_113.5,
      confidence: 'medium',
      label: 'Proxy only: venue pressure, not ETF attribution.',
      skewMs: 240,
      tapeComplete: false,
      sinceTs: 1_789_999_900_000,
    },
    fetchedAt: 1_790_000_000_000,
  },
);

export const FlowSignal = resource(
  'FlowSignal',
  'A flow condition that crossed its threshold.',
  {
    id: text(
      '`<coin>:<slug>:<ts>`; `ts` is the minute of its start. A change of sign begins a new signal; a second one of the same slug and minute is called `<slug>-2`.',
    ),
    coin,
    layer: choice(['venue', 'regional', 'etf', 'micro', 'composite'], {
      description: 'Layer of the signal.',
    }),
    severity: choice(['info', 'warm', 'hot'], {
      description:
        'How strong it is at present: `hot` at or above the hot threshold, `warm` at or above the warm one, `info` below it until the signal ends.',
    }),
    title: text('The current value in a few words.'),
    message: text('The current value in one sentence.'),
    confidence: Confidence,
    ts: timeMs('When it was last at or above 80 % of its warm threshold.'),
    current: Type.Optional(
      orNull(Type.Number(), 'Current value in `unit`, with its sign; null while it cannot be determined.'),
    ),
    peak: Type.Optional(number('Largest value since the signal began, in `unit`, with its sign.')),
    unit: Type.Optional(
      choice(['bps', 'σ', 'points'], { description: 'Unit of `current`, `peak` and the thresholds.' }),
    ),
  },
  {
    id: 'BTC:pressure:1789999980000',
    coin: 'BTC',
    layer: 'composite',
    severity: 'hot',
    title: 'Strong buying pressure',
    message: 'The flow pressure score is 78.',
    confidence: 'high',
    ts: 1_790_000_000_000,
    current: 78,
    peak: 84,
    unit: 'points',
  },
);

const live = (description: string) => choice(['live', 'stale', 'none'], { description });

export const FlowCoverage = resource(
  'FlowCoverage',
  'Which parts a figure is made from.',
  {
    globalSpot: choice(['full', 'partial', 'none'], { description: '`full`: every spot venue is fresh.' }),
    kimchi: live('The Korean premium.'),
    etfProxy: live('The ETF flows.'),
    primaryMicro: live('The trades of the primary venue.'),
  },
  { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
);

export const FlowSummarySnap = resource(
  'FlowSummarySnap',
  'The flows of several coins at a glance.',
  {
    coins: Type.Array(Type.String(), { description: 'Tickers of the coins.' }),
    rows: Type.Array(
      Type.Object({
        coin,
        coverage: FlowCoverage,
        flowPressureScore: number('Pressure from −100 (selling) to 100 (buying).', {
          minimum: -100,
          maximum: 100,
        }),
        headline: text('The strongest signal, or the score in words.'),
        components: Type.Optional(
          Type.Array(
            Type.Object({
              part: text('Name of the part.'),
              x: number('Its value.'),
              scale: number('The value that counts as much.'),
              weight: number('Its weight, 0 to 1.'),
              contribution: number('What it adds to the score.'),
            }),
            { description: 'What the score is made from.' },
          ),
        ),
      }),
      { description: 'By coin.' },
    ),
    signals: Type.Array(FlowSignal, { description: 'The signals of these coins.' }),
    fetchedAt,
  },
  {
    coins: ['BTC'],
    rows: [
      {
        coin: 'BTC',
        coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
        flowPressureScore: 34.1,
        headline: 'Mild buying pressure',
        components: [{ part: 'proxyPremium', x: 1.2, scale: 10, weight: 0.25, contribution: 2.9 }],
      },
    ],
    signals: [
      {
        id: 'BTC:pressure:1789999980000',
        coin: 'BTC',
        layer: 'composite',
        severity: 'hot',
        title: 'Strong buying pressure',
        message: 'The flow pressure score is 78.',
        confidence: 'high',
        ts: 1_790_000_000_000,
      },
    ],
    fetchedAt: 1_790_000_000_000,
  },
);
