/** Codes of JSON-RPC that the service uses itself; the SDK has its own. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
} as const;

/** The field with the revision of a message, since revision 2026-07-28. */
export const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** The method that opens a stream of changes. */
export const LISTEN = 'subscriptions/listen';

export type Params = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Prefix of the SDK's findings in a refusal of `tools/call`. */
const FINDINGS = /^Invalid [\w/]+ request: (?=\[)/;

/**
 * An answer of the SDK to a message whose parameters have the wrong types: it lists its findings as JSON, and calls
 * that an internal error, except in `tools/call`. Other answers are returned unchanged.
 */
export function withRefusedParams(text: string): string {
  const answer = parseJson(text);
  if (!isRecord(answer) || !isRecord(answer.error)) return text;
  const { code, message: reported } = answer.error;
  const isListed = code === rpcCodes.invalidParams && FINDINGS.test(String(reported));
  if (code !== rpcCodes.internal && !isListed) return text;
  const findings = parseJson(String(reported).replace(FINDINGS, ''));
  const first: unknown = Array.isArray(findings) ? findings[0] : undefined;
  const path =
    isRecord(first) && Array.isArray(first.path) ? first.path.join('.').replace(/^params\.?/, '') : '';
  const what = isRecord(first) ? String(first.message) : 'Invalid input';
  const message = `Parameter${path === '' ? 's' : ` \`${path}\``}: ${what}.`;
  return JSON.stringify({ ...answer, error: { code: rpcCodes.invalidParams, message } });
}

/** `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
