import { Client, systemClock } from '@crosstape/client';
import { Budget, budgetedFetch } from '../live/budget.ts';
import { Hub } from '../live/hub.ts';
import type { Order, Report } from '../live/topic.ts';
import { KeptAnswers } from './kept-answers.ts';
import { LoadingTopics } from './loading-topics.ts';
import { RecordedWindows } from './recorded-windows.ts';
import { ReplayClient } from './replay-client.ts';
import { ReplayClock } from './replay-clock.ts';
import type { OpenOrder, ReplayOrder, ReplayReport } from './replay-order.ts';
import { ReplayPlayer } from './replay-player.ts';

/** Share of a visitor's quota: other requests need some, too. */
const SHARE = 2 / 3;

interface Replay {
  readonly hub: Hub;
  readonly player: ReplayPlayer;
  take(order: Order): void;
}

/** The replays of a page, one after the other. Cached reads and the count of requests are kept across jumps. */
export class Replays {
  readonly #url: string;
  readonly #post: (report: ReplayReport) => void;
  readonly #budget = new Budget(systemClock, SHARE);
  readonly #answers = new KeptAnswers();
  #windows: RecordedWindows | undefined;
  #replay: Replay | undefined;

  constructor(url: string, post: (report: ReplayReport) => void) {
    this.#url = url;
    this.#post = post;
  }

  take(order: ReplayOrder): void {
    if (order.op === 'open') {
      this.close();
      this.#replay = this.#open(order);
    } else if (!this.#replay) return;
    else if (order.op === 'play') this.#replay.player.play();
    else if (order.op === 'pause') this.#replay.player.pause();
    else if (order.op === 'speed') this.#replay.player.setSpeed(order.speed);
    else if (order.op === 'step') void this.#replay.player.step(order.step);
    else if (order.op === 'skip') void this.#replay.player.leaveGap();
    else this.#replay.take(order);
  }

  close(): void {
    this.#replay?.hub.close();
    this.#replay?.player.close();
    this.#replay = undefined;
  }

  /** The hub of the live pages, with a client that returns nothing after the time of the replay. */
  #open({ run, startMs, speed, isPlaying }: OpenOrder): Replay {
    const url = this.#url;
    const clock = new ReplayClock(systemClock, { startMs, speed });
    const windows = this.#windowsOn(clock);
    const loading = new LoadingTopics(systemClock, clock);
    const player = new ReplayPlayer({
      system: systemClock,
      clock,
      windows,
      send: (status) => this.#post({ run, status }),
      onJump: (jumpMs) => this.#post({ run, jumpMs }),
    });
    const hub = new Hub(url, {
      budget: this.#budget,
      createClient: (options) => new ReplayClient(options, clock, windows, this.#answers),
      watcher: {
        onStart: (topic) => loading.start(topic),
        onSend: (topic, word) => {
          player.note(topic, word);
          loading.note(topic);
        },
        onEnd: (topic) => loading.end(topic),
      },
    });
    const port = { postMessage: (report: Report): void => this.#post({ run, ...report }) };
    if (isPlaying) player.play();
    return {
      hub,
      player,
      take: (order) => {
        if (order.op === 'follow') player.follow(order.topic);
        hub.take(port, order);
      },
    };
  }

  #windowsOn(clock: ReplayClock): RecordedWindows {
    const fetch = budgetedFetch(this.#budget, this.#url);
    this.#windows ??= new RecordedWindows(new Client({ url: this.#url, fetch }), clock);
    this.#windows.clock = clock;
    return this.#windows;
  }
}
