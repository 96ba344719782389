import type { EventLog } from './event-log.ts';

/** What the bus remembers of a topic: its newest message, or those of a while. */
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

/** A named line between rooms. `carries` exists for the compiler alone. */
export interface Topic<Message> {
  readonly name: string;
  readonly keep: Keep;
  /** The publisher: ingesters, unless it is a process that serves callers. */
  readonly by?: 'gateway';
  readonly carries?: Message;
  /**
   * Of a log to which several processes would each write in their own words: whether a message says nothing beyond what was said of
   * late, oldest first. Omitted, that is one that was said word for word.
   */
  isSaid?(this: void, message: Message, said: readonly Message[]): boolean;
}

export interface LatestTopic<Message> extends Topic<Message> {
  readonly keep: { readonly kind: 'latest' };
}

export interface LogTopic<Message> extends Topic<Message> {
  readonly keep: KeepLog;
}

/** Anything with a time by which a log can be searched. */
export interface Dated {
  readonly ts: number;
}

export interface Retained<Message> {
  readonly message: Message;
  /** Grows with every publication on the bus: equal versions mean the very same message. */
  readonly version: number;
}

export type Unsubscribe = () => void;

/** Given a function that says whether messages of a topic were missed. */
export type MissedListener = (isMissed: (topic: string) => boolean) => void;

/** How rooms talk: in one process now, over Redis when there are several. Delivery is in order of publication. */
export interface Bus {
  publish<Message>(topic: Topic<Message>, message: Message): void;
  subscribe<Message>(topic: Topic<Message>, listener: (message: Message) => void): Unsubscribe;
  latest<Message>(topic: LatestTopic<Message>): Retained<Message> | undefined;
  log<Message extends Dated>(topic: LogTopic<Message>): EventLog<Message>;
  /** Called when this process has missed messages of logs: subscribers of these lack them. Never in a single process. */
  onMissed(listener: MissedListener): Unsubscribe;
  /** Resolves once whatever has been published on a log by now, by whatever process, is in it. */
  settled(topic: LogTopic<unknown>): Promise<void>;
}
