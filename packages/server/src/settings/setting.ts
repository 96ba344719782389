/** One setting: a flag, an environment variable and a default. */
export interface Setting<Value = unknown> {
  /** Key in the resulting `Settings`. */
  readonly name: string;
  /** Without the dashes. */
  readonly flag: string;
  readonly variable: string;
  readonly help: string;
  /** The allowed values, for error messages: `a port from 0 to 65535`. */
  readonly allowed: string;
  readonly fallback: Value;
  /** The default with `REDIS_URL`, if different. */
  readonly fallbackOnRedis?: Value;
  readonly isSecret?: boolean;
  /** `undefined` if the text is invalid. */
  read(text: string): Value | undefined;
}

type Options = Omit<Setting, 'read' | 'allowed' | 'fallback' | 'fallbackOnRedis'>;

export function integerSetting(
  options: Options & { fallback: number; min: number; max: number },
): Setting<number> {
  const { min, max } = options;
  return {
    ...options,
    allowed: `a whole number from ${min} to ${max}`,
    read(text) {
      const value = Number(text);
      return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
    },
  };
}

export function choiceSetting<const Choice extends string>(
  options: Options & { fallback: Choice; choices: readonly Choice[] },
): Setting<Choice> {
  return {
    ...options,
    allowed: `one of ${options.choices.join(', ')}`,
    read: (text) => options.choices.find((choice) => choice === text),
  };
}

export function booleanSetting(options: Options & { fallback: boolean }): Setting<boolean> {
  const words: Readonly<Record<string, boolean>> = {
    true: true,
    '1': true,
    yes: true,
    false: false,
    '0': false,
    no: false,
  };
  return { ...options, allowed: 'true or false', read: (text) => words[text.toLowerCase()] };
}

export function textSetting<Fallback extends string | undefined>(
  options: Options & { fallback: Fallback; allowed?: string },
): Setting<string | Fallback> {
  return {
    ...options,
    allowed: options.allowed ?? 'text',
    read: (text) => (text === '' ? undefined : text),
  };
}

/** An absolute URL of one of the given protocols, without a trailing slash. */
export function urlSetting<Fallback extends string | undefined>(
  options: Options & { fallback: Fallback; protocols: readonly string[] },
): Setting<string | Fallback> {
  const { protocols } = options;
  return {
    ...options,
    allowed: `a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    read(text) {
      if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol.slice(0, -1))) return undefined;
      return text.replace(/\/+$/, '');
    },
  };
}

/** A key of a source. A key that is not valid in a header would be quoted in the error message. */
export function keySetting(options: Options): Setting<string | undefined> {
  return {
    ...options,
    fallback: undefined,
    isSecret: true,
    allowed: 'a key without spaces',
    read: (text) => (/^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined),
  };
}
