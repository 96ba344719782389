import { once } from 'node:events';
import { createServer } from 'node:http';
import { reportUsage } from './http-usage.mjs';

/** A bare server that answers every request with the same bytes, which the parent sends first. */
const [text] = await once(process, 'message');
const body = Buffer.from(text, 'latin1');
const server = createServer((_request, response) => {
  response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)]);
  response.end(body);
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => reportUsage(server.address().port));
