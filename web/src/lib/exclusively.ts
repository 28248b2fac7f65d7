/** One tab at a time, where the browser can do that: over plain http it has no locks. */
export async function exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const locks = navigator.locks as LockManager | undefined
  return locks ? await locks.request(name, work) : await work()
}
