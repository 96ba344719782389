import type { Component } from 'svelte';
import type { IconName } from '../parts/icon-paths.ts';

/** A page of the dashboard. Its code is loaded when it is first shown. */
export interface PageEntry {
  /** First part of its path. */
  readonly name: string;
  readonly title: string;
  /** Further search words. */
  readonly about?: string;
  readonly icon: IconName;
  /** Where the navigation leads. */
  readonly href: string;
  /** The page takes a second part of the path: a coin, `router.coin`. */
  readonly takesCoin?: boolean;
  readonly load: () => Promise<{ default: Component }>;
}

/** Every page, in the order of the navigation. To add one: a folder in `src/pages`, an entry here, and its path in the server's `dashboard.ts`. */
export const pages: readonly PageEntry[] = [
  {
    name: '',
    title: 'Overview',
    icon: 'overview',
    href: '/',
    load: () => import('../pages/overview/overview.svelte'),
  },
  {
    name: 'm',
    title: 'Market',
    icon: 'market',
    href: '/m/BTC',
    takesCoin: true,
    load: () => import('../pages/market/market.svelte'),
  },
  {
    name: 'charts',
    title: 'Charts',
    icon: 'charts',
    href: '/charts',
    load: () => import('../pages/charts/charts.svelte'),
  },
  {
    name: 'screener',
    title: 'Screener',
    icon: 'screener',
    href: '/screener',
    load: () => import('../pages/screener/screener.svelte'),
  },
  {
    name: 'perps',
    title: 'Perps',
    icon: 'perps',
    href: '/perps',
    load: () => import('../pages/perps/perps.svelte'),
  },
  {
    name: 'funding',
    title: 'Funding',
    icon: 'funding',
    href: '/funding',
    load: () => import('../pages/funding/funding.svelte'),
  },
  {
    name: 'options',
    title: 'Options',
    about: 'Deribit',
    icon: 'options',
    href: '/options/BTC',
    takesCoin: true,
    load: () => import('../pages/options/options.svelte'),
  },
  {
    name: 'flows',
    title: 'Flows',
    icon: 'flows',
    href: '/flows',
    load: () => import('../pages/flows/flows.svelte'),
  },
  {
    name: 'onchain',
    title: 'On-chain',
    icon: 'onchain',
    href: '/onchain',
    load: () => import('../pages/onchain/onchain.svelte'),
  },
  {
    name: 'prediction',
    title: 'Prediction',
    icon: 'prediction',
    href: '/prediction',
    load: () => import('../pages/prediction/prediction.svelte'),
  },
  {
    name: 'alerts',
    title: 'Alerts',
    icon: 'alerts',
    href: '/alerts',
    load: () => import('../pages/alerts/alerts.svelte'),
  },
  {
    name: 'data',
    title: 'Data',
    icon: 'data',
    href: '/data',
    load: () => import('../pages/data/data.svelte'),
  },
  {
    name: 'audit',
    title: 'Audit',
    icon: 'audit',
    href: '/audit',
    load: () => import('../pages/audit/audit.svelte'),
  },
  {
    name: 'profile',
    title: 'Profile',
    icon: 'profile',
    href: '/profile',
    load: () => import('../pages/profile/profile.svelte'),
  },
  {
    name: 'status',
    title: 'Status',
    icon: 'status',
    href: '/status',
    load: () => import('../pages/status/status.svelte'),
  },
];

/** The page at a path, if any. */
export function pageAt(path: string): PageEntry | undefined {
  const [, name = '', second, ...rest] = path.split('/');
  const page = pages.find((entry) => entry.name === name);
  return rest.length === 0 && (second === undefined || page?.takesCoin === true) ? page : undefined;
}
