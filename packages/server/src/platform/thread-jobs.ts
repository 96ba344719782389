import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type JobRunner, tooManyJobs } from './jobs.ts';
import type { ReportedPayload } from './thread-tasks.ts';

export interface ThreadJobsOptions {
  /** Module whose exports do the tasks; the service's own unless told otherwise. */
  readonly entry?: URL;
  readonly threadsMax?: number;
  readonly queueMax?: number;
  /** Whether whatever else the process does goes first. */
  readonly isBackground?: boolean;
}

const QUEUE_MAX = 64;
/** A thread is kept this long without work. */
const IDLE_MS = 60_000;
const BACKGROUND_NICE = 10;
const QUEUE_FULL = 'Task queue is at limit';
const isSource = import.meta.url.endsWith('.ts');

/** Jobs on worker threads of this process, at most one fewer than there are cores. */
export function startThreadJobs({
  entry = new URL(isSource ? '../worker.ts' : '../worker.js', import.meta.url),
  threadsMax = Math.max(1, availableParallelism() - 1),
  queueMax = QUEUE_MAX,
  isBackground = false,
}: ThreadJobsOptions = {}): JobRunner {
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: threadsMax,
    maxQueue: queueMax,
    idleTimeout: IDLE_MS,
    niceIncrement: isBackground ? BACKGROUND_NICE : 0,
    // What lets a thread run the sources. Node 20 ignores `--import` in threads; `--require` works everywhere.
    ...(isSource ? { execArgv: ['--require', 'tsx/cjs', '--conditions=crosstape-source'] } : {}),
  });
  return {
    async run(task, payload, { transfer = [], signal, onProgress } = {}) {
      const channel = onProgress && new MessageChannel();
      channel?.port1.on('message', (progress) => onProgress?.(progress));
      const reported: ReportedPayload | undefined = channel && { payload, port: channel.port2 };
      try {
        const result = await pool.run(reported ?? payload, {
          filename: fileURLToPath(entry),
          name: task.name,
          transferList: channel ? [...transfer, channel.port2] : [...transfer],
          ...(signal ? { signal } : {}),
        });
        if (channel) drain(channel.port1, onProgress);
        return result;
      } catch (error) {
        if (error instanceof Error && error.message === QUEUE_FULL) throw tooManyJobs(error);
        throw error;
      } finally {
        channel?.port1.close();
      }
    },
    stop: () => pool.destroy(),
  };
}

/** A result comes another way than what was told before it, and may overtake it. */
function drain<Message>(port: MessagePort, listener: (message: Message) => void): void {
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    listener(next.message as Message);
  }
}
