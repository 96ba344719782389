import type { Finding } from './probe-sanity.ts';

/** Which of a venue's addresses answer; the first that does is where everything else is asked for. */
export async function probeAddresses(
  source: string,
  addresses: readonly string[],
  ask: (address: string) => Promise<unknown>,
): Promise<{ readonly answering: string | undefined; readonly finding: Finding }> {
  const told = await Promise.all(
    addresses.map(async (address) => {
      const why = await ask(address).then(
        () => undefined,
        (error: Error & { readonly code?: string }) => error.message || (error.code ?? String(error)),
      );
      return { address, why };
    }),
  );
  const answering = told.find(({ why }) => why === undefined)?.address;
  const words = told.map(({ address, why }) => `${address} ${why === undefined ? 'answers' : `(${why})`}`);
  return { answering, finding: { source, isGood: answering !== undefined, told: words.join(', ') } };
}
