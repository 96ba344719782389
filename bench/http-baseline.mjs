import { createServer } from 'node:http';
import { reportUsage } from './http-usage.mjs';

/** A bare server that gives every question the same headers and bytes, handed over on the command line. */
const [, , headersText = '[]', bodyText = ''] = process.argv;
const headers = JSON.parse(headersText);
const body = Buffer.from(bodyText, 'base64');

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => reportUsage(server.address().port));
