import { hostname } from 'node:os';
import { MINUTE_MS } from '@crosstape/core';
import { GatewayBus } from '../gateway-bus.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { startQueueJobs } from '../queue-jobs.ts';
import { shareQuotas } from '../shared-quotas.ts';
import { SharedSlots } from '../shared-slots.ts';
import { liveMax, REUSE_MS } from '../../features/rotations/kept-builds.ts';
import { BUILD_TIMEOUT_MS } from '../../features/rotations/rotations.ts';
import type { Settings } from '../../settings/settings.ts';
import { logIfSlow } from '../../platform/slow-step.ts';
import { placeOf } from '../open-place.ts';
import { RedisStore } from '../redis-store.ts';
import { configuredPublishers } from '../../roles/configured-publishers.ts';
import { startGateway, type StartedGateway } from '../../roles/gateway.ts';
import { startParts } from '../../roles/role-dependencies.ts';
import { markStaleWhenBusSilent } from '../../roles/mark-stale-when-bus-silent.ts';
import {
  buildsPrefix,
  busPrefix,
  leasePrefix,
  processName,
  type SharedParts,
  type SharedUpstream,
  storePrefix,
} from './shared-parts.ts';
import { openSharedCoordinator } from '../shared-build-coordinator.ts';
import { readGroups } from '../venue-groups.ts';
import { openSharedKeys } from '../open-shared-keys.ts';

export interface SharedGatewayOptions extends SharedParts {
  readonly upstream: SharedUpstream;
  readonly jobs: JobRunner;
}

/** A gateway, one of several; it is stateless. */
export function startSharedGateway(options: SharedGatewayOptions): Promise<StartedGateway> {
  return startParts(async (stops) => {
    const { settings, clock, log, link, connect, url, upstream } = options;
    const prefix = storePrefix(upstream);
    const opened = GatewayBus.open({
      clock,
      log,
      prefix: busPrefix(upstream),
      link,
      connect,
      readGroups: () => readGroups(link, leasePrefix(upstream)),
    });
    const bus = await logIfSlow('the bus on Redis', opened, { log });
    stops.add(() => bus.stop());
    markStaleWhenBusSilent({
      bus,
      log,
      publishers: configuredPublishers(settings),
      describe: (group) => bus.venuesOf(group),
    });
    const store = new RedisStore({ link, prefix });
    const keys = await openSharedKeys({ link, clock, log, writer: doorName(settings) });
    stops.add(() => keys.close());
    const coordinator = openSharedCoordinator({
      link,
      prefix: buildsPrefix(upstream),
      owner: processName(),
      reuseMs: REUSE_MS,
      liveMs: BUILD_TIMEOUT_MS + MINUTE_MS,
      liveMax,
    });
    const builds = startQueueJobs({ ...options, prefix: buildsPrefix(upstream) });
    stops.add(() => builds.stop());
    const quotas = shareQuotas({ link, log });
    stops.add(() => quotas.stop());
    const shareSlots = new SharedSlots({ link, log, gateway: processName() });
    stops.add(() => shareSlots.stop());
    const gateway = await startGateway({
      ...options,
      shareSlots,
      shareQuota: (name, quota) => quotas.share(name, quota),
      builds,
      coordinator,
      bus,
      store,
      folder: placeOf({ url, prefix }),
      upstream: upstream.mode,
      keys: keys.ring,
      ingesters: () => bus.ingesters,
    });
    stops.add(() => gateway.stop());
    return { url: gateway.url };
  });
}

/**
 * Stable across restarts, so that usage does not accumulate under many names, and unique: no other process listens on
 * the port.
 */
function doorName({ port }: Settings): string {
  return `${hostname()}:${port === 0 ? process.pid : port}`;
}
