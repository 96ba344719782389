import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { fakeFeed, fakeResource } from './testing/fake-venue.ts';
import { startRig } from './testing/rig.ts';

test('speaks through a proxy, over REST and sockets alike', async () => {
  const tunnels: string[] = [];
  const proxy = createServer((stream) => {
    stream.once('data', (head) => {
      const [, port] = /^CONNECT 127.0.0.1:(\d+) /.exec(head.toString()) ?? [];
      tunnels.push(head.toString().split('\r\n', 1).join());
      if (port === undefined) {
        stream.destroy();
        return;
      }
      const onward = connect(Number(port), '127.0.0.1');
      stream.write('HTTP/1.1 200 OK\r\n\r\n');
      stream.pipe(onward).pipe(stream);
      for (const end of [stream, onward]) end.on('error', () => end.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const proxyUrl = `http://127.0.0.1:${port}`;
  const rig = await startRig({
    feeds: [fakeFeed()],
    resources: [fakeResource()],
    coins: ['BTC'],
    proxy: proxyUrl,
  });
  await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
  await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
  expect(tunnels).toHaveLength(2);
  await rig.stop();
  await new Promise((resolve) => proxy.close(resolve));
});
