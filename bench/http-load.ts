import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly acceptEncoding: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly requests: number;
}

/** A process of `http-usage.mjs`, and what it reported at the start. */
export interface MeasuredServer {
  readonly port: number;
  readonly child: ChildProcess;
}

/** Starts a file of this folder without the loader that runs the caller: what it does to a process would be measured, too. */
export async function startServer<More extends object = object>(
  file: string,
  args: readonly string[] = [],
): Promise<MeasuredServer & More> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: [] });
  const [reported] = (await once(child, 'message')) as [{ port: number } & More];
  return { ...reported, child };
}

/** Microseconds of processor time that a server takes for each of some requests. */
export async function cpuUsPerRequest(
  { port, child }: MeasuredServer,
  options: Omit<LoadOptions, 'port'>,
): Promise<number> {
  const cpuUsed = async (): Promise<number> => {
    child.send('usage');
    const [{ cpuUs }] = (await once(child, 'message')) as [{ cpuUs: number }];
    return cpuUs;
  };
  const before = await cpuUsed();
  await load({ ...options, port });
  return ((await cpuUsed()) - before) / options.requests;
}

/** Sends requests over keep-alive connections; each waits for its answer before the next request. */
export async function load({ connections, requests, ...options }: LoadOptions): Promise<void> {
  const perConnection = Math.ceil(requests / connections);
  await Promise.all(
    Array.from({ length: connections }, () => askRepeatedly({ ...options, times: perConnection })),
  );
}

interface AskOptions {
  readonly port: number;
  readonly path: string;
  readonly acceptEncoding: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly times: number;
}

function askRepeatedly({ port, path, acceptEncoding, headers = {}, times }: AskOptions): Promise<void> {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const question = Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: */*\r\nAccept-Encoding: ${acceptEncoding}\r\nUser-Agent: bench\r\n${more.join('')}\r\n`,
  );
  return new Promise((resolve, reject) => {
    let asked = 0;
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const ask = (): void => {
      if (asked === times) {
        socket.end();
        resolve();
        return;
      }
      asked += 1;
      socket.write(question);
    };
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('data', answerReader(ask, reject));
  });
}

/** Calls `onAnswer` after each whole answer; anything but 200 and 206 is an error. */
function answerReader(onAnswer: () => void, onError: (error: Error) => void): (part: Buffer) => void {
  let head = '';
  let missing = 0;
  return (part) => {
    if (missing > 0) {
      missing -= part.length;
    } else {
      head += part.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!/^HTTP\/1.1 20[06] /.test(head)) return onError(new Error(head.slice(0, end)));
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
      missing = length - (head.length - end - 4);
      head = '';
    }
    if (missing === 0) onAnswer();
  };
}
