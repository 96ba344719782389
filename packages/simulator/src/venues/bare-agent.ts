/** `node`, `python-requests/2.32`: the name of a library, with no word about who runs it. */
const BARE = /^[\w.-]*(\/[\w.-]+)?$/;

/** Whether a User-Agent is absent or names a library only, which several sources refuse. */
export function isBareAgent(agent = ''): boolean {
  return BARE.test(agent.trim());
}
