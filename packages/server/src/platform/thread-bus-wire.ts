import type { Keep } from './bus.ts';
import type { PackedMessages } from './packed-messages.ts';

/** Messages of one topic, in order of publication. Topics are numbered when they are first used. */
export interface TopicRun {
  readonly topic: number;
  readonly messages: unknown[];
}

/**
 * What the ingest thread sends to the gateway. An array is a batch of packed messages and nothing else: its time, how many
 * messages it has, and their `values`. Nearly every batch under load is one, and an object costs both threads twice as
 * much.
 */
export type ToGateway =
  | Float64Array
  /** Of each ingest thread, before anything else: where the gateway counts the batches that it has taken. */
  | { readonly kind: 'open'; readonly taken: Int32Array }
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

/** Values before the messages of a batch that is an array. */
export const BATCH_HEAD = 2;

/** What the gateway sends to the ingest thread. */
export type ToIngest =
  | { readonly kind: 'settle'; readonly id: number }
  | { readonly kind: 'republish' }
  | { readonly kind: 'publish'; readonly name: string; readonly message: unknown };
