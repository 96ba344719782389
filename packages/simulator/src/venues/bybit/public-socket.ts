import { parseFields } from '../../json.ts';
import { connectionId } from '../connection-id.ts';
import type { Session, WireSocket } from '../wire.ts';

export type SendReply = (success: boolean, message: string) => void;

/** The public socket of one kind of market. https://bybit-exchange.github.io/docs/v5/ws/connect */
export function publicSocketOf(kind: {
  readonly path: string;
  /** Subscribes to all topics of a request or to none, and replies. */
  subscribe(topics: readonly string[], session: Session, reply: SendReply): void;
  readonly everyMs: number;
  readonly push: WireSocket['push'];
}): WireSocket {
  const { path, everyMs, push } = kind;
  return {
    path,
    socketsMax: 1000,
    // 500 in five minutes [D].
    socketsPerMinute: 100,
    // None is published.
    messagesPerMinute: 100_000,
    // "If there is no ping-pong and no stream data, the connection is cut off after 10 minutes" [D].
    silentMaxMs: 600_000,
    receive(text, session) {
      const request = parseFields(text) ?? {};
      const { op, req_id: id = '' } = request;
      const topics = Array.isArray(request['args']) ? request['args'].map(String) : [];
      const reply: SendReply = (success, message) => {
        const reported = { success, ret_msg: message, conn_id: connectionId(session), req_id: id, op };
        session.send(JSON.stringify(reported));
      };
      switch (op) {
        case 'ping':
          return reply(true, 'pong');
        case 'subscribe':
          return kind.subscribe(topics, session, reply);
        case 'unsubscribe':
          for (const topic of topics) session.leave(topic);
          return reply(true, '');
        default: {
          // {"success":false,"ret_msg":"error:invalid op","conn_id":"5e079fdd-…","request":{"op":"","args":null}} [C]
          const reported = { success: false, ret_msg: 'error:invalid op', conn_id: connectionId(session) };
          return session.send(JSON.stringify({ ...reported, request: { op: op ?? '', args: null } }));
        }
      }
    },
    everyMs,
    push,
  };
}
