import { Reply } from '../wire.ts';

/** `{"code":"0","msg":"","data":[…]}` [C, N] */
export function success(data: readonly unknown[]): Reply {
  return new Reply({ code: '0', msg: '', data });
}

/** `{"code":"51001","msg":"Instrument ID doesn't exist","data":[]}`; codes [C], which of them have their own status [K]. */
export function failure(code: string, msg: string, status = 200): Reply {
  return new Reply({ code, msg, data: [] }, status);
}
