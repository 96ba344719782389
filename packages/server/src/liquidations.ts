import type { FeedSink } from './ingest/feed-sink.ts';
import type { LiquidationRecorder } from './recorder/liquidation-recorder.ts';

/** The sink of all feeds: liquidations go to their recorder, trades to the tape. */
export function withLiquidations(tape: FeedSink, recorder: LiquidationRecorder): FeedSink {
  return {
    frame(received) {
      const { frame, venue } = received;
      if (frame.kind === 'liquidations') recorder.add(venue, frame.liquidations);
      else tape.frame(received);
    },
    refused(refused) {
      if (refused.feed !== 'liquidations') tape.refused(refused);
    },
    socket(change) {
      const { feed, venue, socket, kind, atMs } = change;
      if (feed === 'liquidations') recorder.socket(venue, socket, kind, atMs);
      else tape.socket(change);
    },
  };
}
