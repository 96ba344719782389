import { hashText } from '@crosstape/core';
import { COINS, type Coin } from './coins.ts';
import { mix, uniformOf } from './noise.ts';

/** Contracts on the primary venue's own list: 179 trade, 51 are delisted and keep their index. */
const LIVE = 179;
const LISTED = 230;

/** Tickers of the long tail, most traded first. The list is longer than needed. */
const TAIL =
  `ASTER XPL WLFI VIRTUAL SPX TON KAITO IP PNUT MOODENG FET RENDER KAS ICP ETC ATOM ALGO POPCAT MORPHO GRASS
  EIGEN ETHFI PYTH ENS JTO STRK ZRO ZK BERA MOVE POL S LAYER INIT PROVE AVNT LINEA STBL 0G 2Z MON STABLE kFLOKI
  kLUNC kDOGS GALA SAND AR IMX STX RUNE ORDI DYDX GMX SNX COMP SUSHI CAKE APE APEX BLUR BIGTIME GMT GAS NEO IOTA
  IO NOT MEME BOME MEW BRETT TURBO GOAT CHILLGUY MELANIA VINE AIXBT GRIFFAIN ZEREBRO ANIME BIO USUAL ME HYPER
  BABY SOPH RESOLV NXPC DOOD SYRUP SKY PROMPT WCT ZORA NIL TST VVV MNT SUPER BANANA RSR TRB UMA ILV YGG POLYX
  MINA CFX CELO ALT ACE XAI DYM SAGA TNSR REZ LISTA BLAST SCR HMSTR MERL PURR PEOPLE MANTA ARK MAVIA OM OGN
  PIXEL ZETA USTC W ZEN YZY HEMI MET CC LAUNCHCOIN FTT BSV MAV`.split(/\s+/);

const DELISTED =
  `FTM RNDR BLZ UNIBOT OX FRIEND SHIA CYBER LOOM CANTO NTRN RLB HPOS BNT BADGER STRAX RDNT ORBS AI TROLL FXS KNC
  REQ OMNI CATI JELLY PANDORA NFTI MYRO STG PIXL VELO SWELL LIT BNX AUCTION FRAX HFT ARKM EDU MULTI LUNA2 OMG
  PERP BAND CTSI KLAY DAR SLP`.split(/\s+/);

/** Trades of a tail coin in a week at rate 1: the first and the last of the tail. */
const TAIL_TRADES_MOST = 8_000;
const TAIL_TRADES_LEAST = 900;

/** The primary venue with as many contracts as it has in real life. */
export const REAL_COINS: readonly Coin[] = listRealCoins();

function listRealCoins(): readonly Coin[] {
  const main = COINS.filter(({ dex }) => dex === '');
  const builders = COINS.filter(({ dex }) => dex !== '');
  const missing = LIVE - main.filter(({ isDelisted }) => !isDelisted).length;
  const tail = TAIL.slice(0, missing).map((name, i) => tailCoin(name, i / missing));
  const coins = [...main, ...tail];
  const delisted = DELISTED.slice(0, LISTED - coins.length);
  // Delisted rows are among the others, so that an index is not the rank among the live ones.
  const step = Math.floor(coins.length / delisted.length);
  delisted.forEach((name, i) =>
    coins.splice((i + 1) * (step + 1), 0, { ...tailCoin(name, 1), tradesPerWeek: 0, isDelisted: true }),
  );
  return [...coins, ...builders];
}

/** A coin of the tail; `rank` goes from 0, the most traded, to 1. */
function tailCoin(name: string, rank: number): Coin {
  const hash = hashText(name);
  const price = Number((10 ** (3 * uniformOf(mix(hash, 1)) - 1.5)).toPrecision(4));
  return {
    name,
    price,
    sizeDecimals: price > 10 ? 2 : price > 0.5 ? 1 : 0,
    leverageMax: rank < 0.3 ? 5 : 3,
    tradesPerWeek: Math.round(TAIL_TRADES_MOST * (TAIL_TRADES_LEAST / TAIL_TRADES_MOST) ** rank),
    dailyVolatility: 0.05 + 0.05 * uniformOf(mix(hash, 2)),
    premiumBps: 5 + 6 * uniformOf(mix(hash, 3)),
    openInterestUsd: (5 - 4 * rank) * 1e6,
    dex: '',
    isDelisted: false,
  };
}
