interface Suspect {
  readonly venue: string;
  readonly coin: string;
  readonly reason: string;
}

/** Why a figure of `meta.suspect` is suspect; `undefined` for one that is not. */
export function suspectText(
  suspects: readonly Suspect[] | undefined,
  venue: string,
  coin: string,
): string | undefined {
  const found = suspects?.find((one) => one.venue === venue && one.coin === coin);
  return found && `Suspect: ${found.reason}`;
}
