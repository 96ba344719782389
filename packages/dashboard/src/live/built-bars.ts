import type { Client } from '@crosstape/client';
import { barAt, BuildFailed, type BuildSpec, buildBars, type LiveBars } from '@crosstape/client/bars';

/** How the service begins the reason of a build without trades. */
const NOTHING = 'Nothing can be built: ';

/** The bars of a past time, once; none where no trade was recorded. The last one is still open. */
export async function* builtBars(
  client: Client,
  spec: BuildSpec,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<LiveBars, void, undefined> {
  try {
    const { bars, open } = await buildBars(client, spec, { signal });
    yield { closed: Array.from({ length: bars.length }, (_, i) => barAt(bars, i)), open, amended: [] };
  } catch (error) {
    if (!(error instanceof BuildFailed) || !error.message.startsWith(NOTHING)) throw error;
    yield { closed: [], open: null, amended: [] };
  }
}
