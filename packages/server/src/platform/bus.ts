import type { EventLog } from './event-log.ts';

/** What the bus retains per topic: the newest message, or a log. */
export type Keep = { readonly kind: 'latest' } | KeepLog;

export interface KeepLog {
  readonly kind: 'log';
  readonly keepMs: number;
  readonly entriesMax: number;
  /** Whether messages are kept in columns: for flat ones in large numbers. */
  readonly isPacked?: boolean;
  /** The shorter time that applies beyond a number of messages, where they can be read from the record as well. */
  readonly whileRecorded?: { readonly keepMs: number; readonly entriesMax: number };
}

/** A named channel between modules. `carries` exists for the compiler only. */
export interface Topic<Message> {
  readonly name: string;
  readonly keep: Keep;
  /** The publisher; default: ingesters. */
  readonly by?: 'gateway';
  readonly carries?: Message;
  /**
   * For a log that several processes write in different words: whether recent messages, oldest first, already contain
   * this one. Default: an identical message was published.
   */
  isDuplicate?(this: void, message: Message, recent: readonly Message[]): boolean;
}

export interface LatestTopic<Message> extends Topic<Message> {
  readonly keep: { readonly kind: 'latest' };
}

export interface LogTopic<Message> extends Topic<Message> {
  readonly keep: KeepLog;
}

/** Anything with a time, by which a log is searched. */
export interface Dated {
  readonly ts: number;
}

export interface Retained<Message> {
  readonly message: Message;
  /** Grows with every publication on the bus: equal versions mean the very same message. */
  readonly version: number;
}

export type Unsubscribe = () => void;

/** Called with a function that tests whether messages of a topic were missed. */
export type MissedListener = (isMissed: (topic: string) => boolean) => void;

/** How modules communicate: within one process, or over Redis between several. Delivery is in order of publication. */
export interface Bus {
  publish<Message>(topic: Topic<Message>, message: Message): void;
  subscribe<Message>(topic: Topic<Message>, listener: (message: Message) => void): Unsubscribe;
  latest<Message>(topic: LatestTopic<Message>): Retained<Message> | undefined;
  log<Message extends Dated>(topic: LogTopic<Message>): EventLog<Message>;
  /** Called when this process has missed messages of logs: subscribers of these lack them. Never in a single process. */
  onMissed(listener: MissedListener): Unsubscribe;
  /** Resolves once everything published to a log so far, by any process, is in it. */
  settled(topic: LogTopic<unknown>): Promise<void>;
}
