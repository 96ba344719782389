/** Names by which people look for a coin. */
const names: Readonly<Record<string, string>> = {
  AAVE: 'Aave',
  ADA: 'Cardano',
  ALGO: 'Algorand',
  APE: 'ApeCoin',
  APT: 'Aptos',
  AR: 'Arweave',
  ARB: 'Arbitrum',
  ASTER: 'Aster',
  ATOM: 'Cosmos',
  AVAX: 'Avalanche',
  AXS: 'Axie Infinity',
  BCH: 'Bitcoin Cash',
  BERA: 'Berachain',
  BLUR: 'Blur',
  BNB: 'BNB',
  BONK: 'Bonk',
  BTC: 'Bitcoin',
  CAKE: 'PancakeSwap',
  CFX: 'Conflux',
  COMP: 'Compound',
  CRV: 'Curve',
  DOGE: 'Dogecoin',
  DOT: 'Polkadot',
  DYDX: 'dYdX',
  EIGEN: 'EigenLayer',
  ENA: 'Ethena',
  ENS: 'Ethereum Name Service',
  ETC: 'Ethereum Classic',
  ETH: 'Ethereum',
  FARTCOIN: 'Fartcoin',
  FET: 'Artificial Superintelligence Alliance',
  FIL: 'Filecoin',
  FLOKI: 'Floki',
  FTM: 'Fantom',
  GALA: 'Gala',
  GMX: 'GMX',
  GRT: 'The Graph',
  HBAR: 'Hedera',
  HYPE: 'Hyperliquid',
  ICP: 'Internet Computer',
  IMX: 'Immutable',
  INJ: 'Injective',
  IP: 'Story',
  JTO: 'Jito',
  JUP: 'Jupiter',
  KAITO: 'Kaito',
  KAS: 'Kaspa',
  LDO: 'Lido',
  LINK: 'Chainlink',
  LTC: 'Litecoin',
  MANA: 'Decentraland',
  MINA: 'Mina',
  MKR: 'Maker',
  MNT: 'Mantle',
  MOODENG: 'Moo Deng',
  MORPHO: 'Morpho',
  NEAR: 'Near',
  NEIRO: 'Neiro',
  NEO: 'Neo',
  NOT: 'Notcoin',
  ONDO: 'Ondo',
  OP: 'Optimism',
  ORDI: 'Ordinals',
  PAXG: 'PAX Gold',
  PENDLE: 'Pendle',
  PENGU: 'Pudgy Penguins',
  PEPE: 'Pepe',
  PNUT: 'Peanut the Squirrel',
  POL: 'Polygon',
  POPCAT: 'Popcat',
  PUMP: 'Pump.fun',
  PYTH: 'Pyth',
  RENDER: 'Render',
  RUNE: 'THORChain',
  S: 'Sonic',
  SAND: 'The Sandbox',
  SEI: 'Sei',
  SHIB: 'Shiba Inu',
  SNX: 'Synthetix',
  SOL: 'Solana',
  SPX: 'SPX6900',
  STRK: 'Starknet',
  STX: 'Stacks',
  SUI: 'Sui',
  SUSHI: 'Sushi',
  TAO: 'Bittensor',
  TIA: 'Celestia',
  TON: 'Toncoin',
  TRUMP: 'Official Trump',
  TRX: 'Tron',
  TURBO: 'Turbo',
  UNI: 'Uniswap',
  VIRTUAL: 'Virtuals',
  WIF: 'dogwifhat',
  WLD: 'Worldcoin',
  XLM: 'Stellar',
  XMR: 'Monero',
  XRP: 'Ripple',
  ZEC: 'Zcash',
  ZK: 'zkSync',
  ZRO: 'LayerZero',
};

/** `kPEPE` is a thousand PEPE: it has the same name. */
export function coinName(coin: string): string | undefined {
  return names[coin] ?? names[coin.replace(/^k(?=[A-Z])/, '')];
}

/**
 * How well a coin matches the typed text, 0 is best; `undefined`: not at all. A ticker that begins with it comes before
 * a name that does, and both before one that contains it.
 */
export function coinRank(coin: string, typed: string): number | undefined {
  const wanted = typed.trim().toLowerCase();
  const [ticker, name] = [coin.toLowerCase(), coinName(coin)?.toLowerCase() ?? ''];
  if (ticker === wanted || name === wanted) return 0;
  if (ticker.startsWith(wanted)) return 1;
  if (name.startsWith(wanted)) return 2;
  return ticker.includes(wanted) || name.includes(wanted) ? 3 : undefined;
}

const SUGGESTED_MAX = 6;

/** Coins that may have been meant, the likeliest first; the order of `coins` decides among equals. */
export function likelyCoins(typed: string, coins: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase();
  const distance = (coin: string): number =>
    Math.min(coinRank(coin, typed) ?? Infinity, 1 + edits(wanted, coin.toLowerCase()));
  const near = coins.filter((coin) => distance(coin) <= 3).toSorted((a, b) => distance(a) - distance(b));
  return [...new Set([...near, ...coins])].slice(0, SUGGESTED_MAX);
}

/** Edit distance of two words. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1)
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (from[i] === to[j] ? 0 : 1)));
    row = next;
  }
  return row[to.length]!;
}
