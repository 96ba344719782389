import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** An answer as received over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

export interface WireEvent {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

/**
 * What the served OpenAPI document guarantees. Each method throws, with Ajv's message, when a guarantee is violated.
 */
export interface Contract {
  /** `path` is below the base address, without query. */
  checkAnswer(method: string, path: string, answer: WireAnswer): void;
  checkEvent(path: string, event: WireEvent): void;
  /** A record under its public name. */
  checkResource(name: string, value: unknown): void;
}

export function contractOf(document: object): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction>();

  const validatorAt = (pointer: readonly string[]): ValidateFunction | undefined => {
    const reference = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    if (valueAt(document, pointer) === undefined) return undefined;
    let validator = validators.get(reference);
    if (!validator) validators.set(reference, (validator = ajv.compile({ $ref: reference })));
    return validator;
  };

  const check = (what: string, pointer: readonly string[], value: unknown): void => {
    const validator = validatorAt(pointer);
    if (!validator) throw new Error(`${what} is not described: no ${pointer.join(' → ')}`);
    if (!validator(value))
      throw new Error(`${what} breaks its contract: ${ajv.errorsText(validator.errors)}`);
  };

  return {
    checkAnswer(method, path, { status, contentType, body }) {
      const what = `${method} ${path} ${status}`;
      if (status === 304 || method === 'HEAD' || method === 'OPTIONS') return;
      const mediaType = contentType?.split(';')[0] ?? '';
      const operation = ['paths', path, method.toLowerCase()];
      const response = ['responses', String(status)];
      if (valueAt(document, operation) === undefined && status >= 400) {
        return check(what, ['components', 'schemas', 'Failure'], body);
      }
      const described = valueAt(document, [...operation, ...response]) as { $ref?: string } | undefined;
      const at = described?.$ref ? described.$ref.split('/').slice(1) : [...operation, ...response];
      check(what, [...at, 'content', mediaType, 'schema'], body);
    },
    checkEvent(path, event) {
      const pointer = ['paths', path, 'get', 'responses', '200', 'content', 'text/event-stream', 'schema'];
      check(`event ${event.event} of ${path}`, pointer, event);
    },
    checkResource(name, value) {
      check(name, ['components', 'schemas', name], value);
    },
  };
}

function valueAt(document: unknown, pointer: readonly string[]): unknown {
  return pointer.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined,
    document,
  );
}
