import type { Static } from 'typebox';
import { auditTopic } from '../../../topics.ts';
import { gatewayChannel } from '../../channel.ts';
import { tradeSources } from '../../market-tape/followed-tape.ts';
import { AuditHour } from '../hour-schema.ts';

export const audit = gatewayChannel({
  name: 'audit',
  summary: "Recorded hours as they are compared with the venue's candles",
  description:
    'One message for each hour of the market, a few minutes after its end, and another one if an hour that was unavailable is compared later. `/audit` has the earlier ones.',
  payload: AuditHour,
  markets: 'one',
  isState: false,
  sources: tradeSources,
  open({ symbol, market }, publish, { bus, primaryVenue }) {
    const id = market ?? `${primaryVenue}:${symbol}`;
    const close = bus.subscribe(auditTopic, ({ ts, ...hour }) => {
      if (hour.market === id) publish({ ts, payload: hour as Static<typeof AuditHour> });
    });
    return { close };
  },
});
