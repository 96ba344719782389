/**
 * One event as it goes over the wire:
 *
 *     event: trade
 *     id: 1790000000123
 *     data: {"coin":"BTC","side":"sell","price":105931,…}
 *
 * JSON has no raw line breaks, so the data is always one line.
 */
export function sseFrame(name: string, id: number, data: object): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
