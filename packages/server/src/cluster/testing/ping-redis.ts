import { connectedWithin, connectRedis, disconnect } from '../redis.ts';

/** Connects to the given address with the certificates of this process, writes a value and prints what it reads. */
const [address = ''] = process.argv.slice(2);
const link = connectRedis(address);
try {
  await connectedWithin(link, 5_000, 'no connection');
  await link.set('greeting', 'hello');
  process.stdout.write((await link.get('greeting')) ?? '');
} catch (error) {
  process.stderr.write(String(error));
  process.exitCode = 1;
} finally {
  disconnect(link);
}
