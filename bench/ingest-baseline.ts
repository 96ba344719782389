import { WebSocket } from 'ws';

/**
 * The bare loop that `bench:ingest` compares with: receives frames with `ws` and parses them as JSON, and nothing else.
 * Arguments: port of the sender, number of sockets. Each message from the parent is answered with what was spent since
 * the previous one.
 */
export interface BareSpent {
  readonly cpuUs: number;
  readonly frames: number;
}

const [port, sockets] = process.argv.slice(2);
let frames = 0;
/** So that no parse is left out as unused. */
let kinds = 0;
let opened = 0;
for (let i = 0; i < Number(sockets); i += 1) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${i}`, { perMessageDeflate: false });
  socket.on('message', (data: Buffer) => {
    const parsed: unknown = JSON.parse(data.toString());
    if (typeof parsed === 'object') kinds += 1;
    frames += 1;
  });
  socket.on('open', () => {
    opened += 1;
    if (opened === Number(sockets)) process.send?.('open');
  });
}
let before = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  const spent: BareSpent = { cpuUs: user + system, frames: Math.min(frames, kinds) };
  process.send?.(spent);
});
process.on('disconnect', () => process.exit());
