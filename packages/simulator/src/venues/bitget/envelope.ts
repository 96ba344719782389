import { Reply, type Question } from '../wire.ts';

/** `{"code":"00000","msg":"success","requestTime":1700533773477,"data":[…]}` [C] */
export function success({ nowMs }: Question, data: unknown): Reply {
  return new Reply({ code: '00000', msg: 'success', requestTime: nowMs, data });
}

/** `{"code":"40034","msg":"Parameter FOOUSDT does not exist","requestTime":1700533773477,"data":null}`; codes [C, K]. */
export function failure({ nowMs }: Question, code: string, msg: string): Reply {
  return new Reply({ code, msg, requestTime: nowMs, data: null }, 400);
}
