import type { BuildItem } from './frame-types.ts';
import { Mailbox } from './mailbox.ts';

/** A build that is followed over the socket. */
export class Building {
  readonly spec: object;
  readonly mailbox = new Mailbox<BuildItem>();
  /** Id of the last frame that requested it. */
  id = 0;

  constructor(spec: object) {
    this.spec = spec;
  }
}
