import { Type } from 'typebox';
import { flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

const coin = text('Ticker of the coin, as the primary venue spells it (`BTC`, `kPEPE`).');
const venue = text('Venue id (`hyperliquid`).');

const changePct = (hours: number) =>
  orNull(
    Type.Number(),
    `Change over ${hours === 1 ? 'one hour' : `${hours} hours`} in percent of contracts; null where no sample was taken at that time.`,
  );

export const OiChange = resource(
  'OiChange',
  'How the open interest of one coin on one venue has changed, by recorded samples.',
  {
    coin,
    venue,
    t: timeMs('Time of the newest sample.'),
    oiContracts: number("Open interest at that time in the venue's own contracts."),
    change1hPct: changePct(1),
    change4hPct: changePct(4),
    change24hPct: changePct(24),
  },
  {
    coin: 'BTC',
    venue: 'hyperliquid',
    t: 1_790_000_400_000,
    oiContracts: 27_101.95488,
    change1hPct: 0.42,
    change4hPct: -1.3,
    change24hPct: 5.07,
  },
);

const netUsd = (hours: number) =>
  orNull(
    Type.Number(),
    `Over ${hours === 1 ? 'one hour' : `${hours} hours`} in USD; null while the record of the coin is shorter.`,
  );

export const CvdWindows = resource(
  'CvdWindows',
  'Taker-buy less taker-sell value of one coin on the primary venue, up to now.',
  {
    coin,
    venue,
    cvd1hUsd: netUsd(1),
    cvd4hUsd: netUsd(4),
    cvd24hUsd: orNull(
      Type.Number(),
      'Over 24 hours on the clock, the one in progress included, in USD; null while the record of the coin is shorter.',
    ),
    complete: flag('Whether no gap of the tape meets the last 24 hours.'),
  },
  {
    coin: 'BTC',
    venue: 'hyperliquid',
    cvd1hUsd: 1_204_511.02,
    cvd4hUsd: -8_113_902.4,
    cvd24hUsd: 15_440_310.77,
    complete: true,
  },
);
