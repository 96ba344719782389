import { indexCoins } from '../features/markets/coins.ts';
import { streams } from '../features/streams.ts';
import type { StreamServices } from '../features/stream.ts';
import type { StreamRecord } from '../features/tape/recall-events.ts';
import type { Streams } from '../http/stream-definition.ts';
import { Failure } from '../platform/errors.ts';
import { serveStreams, type StreamsOptions } from '../sse/streams.ts';

export interface CreateStreamsOptions extends Omit<StreamsOptions, 'streams' | 'services'> {
  /** Coins of the primary venue; `undefined` until they are known. */
  readonly coins: () => readonly string[] | undefined;
  /** History from before this process started. Absent: a resume is limited to the log. */
  readonly record?: StreamRecord;
}

/** Serves the streams of all features. */
export function createStreams({ coins, record, ...options }: CreateStreamsOptions): Streams {
  const services: StreamServices = {
    knownCoins() {
      const names = coins();
      if (names) return indexCoins(names);
      throw new Failure('upstream_unavailable', 'The coins of the primary venue are not known yet.', {
        retryAfterSeconds: 1,
      });
    },
    bus: options.bus,
    primaryVenue: options.primaryVenue,
    ...(record && { record }),
  };
  return serveStreams({ ...options, streams, services });
}
