/** Parses the recorded coins: `all`, or coins separated by commas. */
export function isRecordedBy(recordCoins: string): (coin: string) => boolean {
  if (recordCoins === 'all') return () => true;
  const wanted = new Set(recordCoins.split(',').map((coin) => coin.trim().toLowerCase()));
  // A bare coin also means its thousandfold contract: PEPE is kPEPE.
  return (coin) =>
    wanted.has(coin.toLowerCase()) || wanted.has(coin.replace(/^k(?=[A-Z])/, '').toLowerCase());
}
