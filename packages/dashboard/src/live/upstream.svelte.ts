const NOT_LIVE = ['sim', 'replay'] as const;
type Upstream = 'live' | (typeof NOT_LIVE)[number];

/** Origin of the service's data: every answer names its sources. */
class UpstreamState {
  /** Until the first answer, what the service wrote into the document. */
  mode = $state<Upstream>(
    NOT_LIVE.find((mode) => mode === document.documentElement.dataset.upstream) ?? 'live',
  );
}

export const upstream = new UpstreamState();

export function noteSource(source: string): void {
  const names = source.split('+');
  const mode = NOT_LIVE.find((one) => names.some((name) => name.startsWith(`${one}:`))) ?? 'live';
  if (upstream.mode !== mode) upstream.mode = mode;
}
