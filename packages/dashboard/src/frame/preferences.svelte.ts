import type { Zone } from '../format/times.ts';

export type Theme = 'dark' | 'light';

/** Preferences of this browser, stored only here. */
class Preferences {
  zone = $state<Zone>(read('zone') === 'local' ? 'local' : 'UTC');
  theme = $state<Theme>(themeOf(read('theme')));

  constructor() {
    document.documentElement.dataset.theme = this.theme;
  }

  setZone(zone: Zone): void {
    this.zone = zone;
    keep('zone', zone);
  }

  setTheme(theme: Theme): void {
    this.showTheme(theme);
    keep('theme', theme);
  }

  /** Without keeping it. */
  showTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
  }
}

function themeOf(kept: string | null): Theme {
  if (kept === 'dark' || kept === 'light') return kept;
  return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}

/** Storage may be unavailable: then nothing is stored. */
function read(name: string): string | null {
  try {
    return localStorage.getItem(`crosstape.${name}`);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`crosstape.${name}`, value);
  } catch {
    return;
  }
}

export const preferences = new Preferences();
