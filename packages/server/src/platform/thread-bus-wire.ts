import type { Keep } from './bus.ts';
import type { PackedMessages } from './packed-messages.ts';

/** Messages of one topic, in order of publication. Topics are numbered when they are first used. */
export interface TopicRun {
  readonly topic: number;
  readonly messages: unknown[];
}

/** What the ingest thread sends to the gateway. */
export type ToGateway =
  | {
      readonly kind: 'batch';
      readonly atMs: number;
      /** Messages before this batch were dropped because the gateway did not keep up. */
      readonly isAfterLoss: boolean;
      /** Topics used for the first time. */
      readonly topics: readonly { readonly name: string; readonly keep: Keep }[];
      /** In order of publication. A number stands for that number of messages of `packed`. */
      readonly runs: readonly (TopicRun | number)[];
      readonly packed: PackedMessages;
    }
  | { readonly kind: 'settled'; readonly id: number };

/** What the gateway sends to the ingest thread. */
export type ToIngest =
  | { readonly kind: 'taken' }
  | { readonly kind: 'settle'; readonly id: number }
  | { readonly kind: 'republish' }
  | { readonly kind: 'publish'; readonly name: string; readonly message: unknown };
