/** The contracts that settle in one coin: the calls name them apart, and so does the socket, in lower case [C, T]. */
export interface Product {
  readonly type: 'USDT-FUTURES' | 'USDC-FUTURES';
  readonly quote: 'USDT' | 'USDC';
  /** Before the names of its sources. */
  readonly prefix: '' | 'usdc-';
}

export const products: readonly Product[] = [
  { type: 'USDT-FUTURES', quote: 'USDT', prefix: '' },
  { type: 'USDC-FUTURES', quote: 'USDC', prefix: 'usdc-' },
];

/** What is listed in USDC is called `BTCPERP` [C]. */
const IN_USDC = /PERP$/;

export function productOf(symbol: string): Product['type'] {
  const quote = IN_USDC.test(symbol) ? 'USDC' : 'USDT';
  return (products.find((one) => one.quote === quote) as Product).type;
}
