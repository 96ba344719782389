const DEFAULT_COIN = 'BTC';

/** Where the reader is: path and query of the address are the only state that pages share or keep. */
class Router {
  path = $state(location.pathname);
  query = $state.raw(new URLSearchParams(location.search));

  constructor() {
    addEventListener('popstate', () => this.#read());
    document.addEventListener('click', (event) => this.#onClick(event));
  }

  /** The coin that the path names, on pages that take one. */
  get coin(): string {
    const [, , coin] = this.path.split('/');
    return coin ? decodeURIComponent(coin) : DEFAULT_COIN;
  }

  go(address: string, { replace = false } = {}): void {
    if (address === location.pathname + location.search) return;
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    const before = this.path;
    this.#read();
    if (this.path !== before) scrollTo(0, 0);
  }

  /** Sets parameters of the query; those given as `undefined` are taken out. */
  set(params: Readonly<Record<string, string | undefined>>): void {
    this.go(this.hrefWith(params), { replace: true });
  }

  /** The address with these parameters of the query; those given as `undefined` are taken out. */
  hrefWith(params: Readonly<Record<string, string | undefined>>): string {
    const next = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(params)) {
      if (value === undefined) next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
    return this.path + (text === '' ? '' : `?${text}`);
  }

  #read(): void {
    this.path = location.pathname;
    this.query = new URLSearchParams(location.search);
  }

  /** Links to pages of our own are followed without loading the document again. */
  #onClick(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest('a');
    if (!link || link.target !== '' || link.origin !== location.origin) return;
    if (
      link.hasAttribute('download') ||
      link.pathname.startsWith('/docs') ||
      link.pathname.startsWith('/api')
    )
      return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  }
}

export const router = new Router();

/** A parameter of the URL with one of a few values; default: `fallback`, or else the first. */
export function choiceParam<Choice extends string>(
  name: string,
  choices: readonly Choice[],
  fallback = choices[0] as Choice,
) {
  return {
    get value(): Choice {
      const given = router.query.get(name);
      return choices.find((choice) => choice === given) ?? fallback;
    },
    set value(next: Choice) {
      router.set({ [name]: next === fallback ? undefined : next });
    },
  };
}

/** A parameter of the address that is any text. */
export function textParam(name: string, fallback: string) {
  return {
    get value(): string {
      return router.query.get(name) ?? fallback;
    },
    set value(next: string) {
      router.set({ [name]: next === fallback ? undefined : next });
    },
  };
}

/** A parameter of the address that is a number above zero. */
export function numberParam(name: string, fallback: number) {
  return {
    get value(): number {
      const given = Number(router.query.get(name));
      return Number.isFinite(given) && given > 0 ? given : fallback;
    },
    set value(next: number) {
      router.set({ [name]: next === fallback ? undefined : String(next) });
    },
  };
}
