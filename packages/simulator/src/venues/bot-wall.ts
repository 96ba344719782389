import type { VenueAnswer } from './venue-simulator.ts';

/** The page that blocks programs [M]. */
export function botWall(status: number): VenueAnswer {
  return {
    status,
    type: 'text/html',
    body: '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript and cookies to continue</noscript></body></html>',
  };
}
