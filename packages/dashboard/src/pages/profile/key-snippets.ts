/** Ready to be pasted, with a key in its place. */
export function keySnippets(
  root: string,
  key: string,
): Readonly<Record<'curl' | 'TypeScript' | 'WebSocket', string>> {
  return {
    curl: `# Open interest of bitcoin on every venue
curl -H 'X-API-Key: ${key}' '${root}/api/v1/perps/oi?coins=BTC'

# Every large order, as it happens
curl -N -H 'X-API-Key: ${key}' '${root}/api/v1/streams/whales'`,
    TypeScript: `import { Client } from '@crosstape/client';

const client = new Client({ url: '${root}', apiKey: '${key}' });

const { data } = await client.get('/perps/funding', { coins: ['BTC', 'ETH'] });
console.table(data);

for await (const item of client.follow('trades', 'BTC')) {
  if (item.type === 'data') console.log(item.payload.side, item.payload.price, item.payload.size);
}`,
    WebSocket: `// ${root.replace(/^http/, 'ws')}/ws/v1
const socket = new WebSocket('${root.replace(/^http/, 'ws')}/ws/v1');
socket.onopen = () => {
  socket.send(JSON.stringify({ op: 'auth', apiKey: '${key}' }));
  socket.send(JSON.stringify({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC' }));
};
socket.onmessage = ({ data }) => console.log(JSON.parse(data));`,
  };
}
