/** What the service itself says of where its figures come from: every answer names its sources. */
class Upstream {
  /** Whether any of it is simulated; before the first answer, what the service wrote into the document. */
  isSimulated = $state(document.documentElement.dataset.upstream === 'sim');
}

export const upstream = new Upstream();

export function noteSource(source: string): void {
  const isSimulated = source.split('+').some((one) => one.startsWith('sim:'));
  if (upstream.isSimulated !== isSimulated) upstream.isSimulated = isSimulated;
}
