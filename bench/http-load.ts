import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly acceptEncoding: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly requests: number;
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
