/** An element of an example's document. */
export function placeOf(id: string): HTMLElement {
  const place = document.getElementById(id);
  if (!place) throw new Error(`the document has no #${id}`);
  return place;
}

/** The symbol in the URL: `?symbol=perp:BTC&resolution=60`. */
export function askedSymbol(): { readonly symbol: string; readonly resolution: string } {
  const asked = new URLSearchParams(location.search);
  return { symbol: asked.get('symbol') ?? 'hyperliquid:BTC', resolution: asked.get('resolution') ?? '1' };
}
