/** `node`, `python-requests/2.32`: the name of a library, without an operator. */
const BARE = /^[\w.-]*(\/[\w.-]+)?$/;

/** Whether a User-Agent is absent or names a library only, which several sources refuse. */
export function isBareAgent(agent = ''): boolean {
  return BARE.test(agent.trim());
}
