/** Failures that take longer, all together, are those of something that does not answer: everything else would wait as long. */
const FAILING_MAX_MS = 10_000

/**
 * Does something with one after the other: what fails keeps back nothing behind it.
 * @throws what has the first failure as its cause, once the others had their turn
 */
export async function pastFailures<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  let failingMs = 0
  for (const item of items) {
    if (signal?.aborted || failingMs > FAILING_MAX_MS) break
    const startedAtMs = performance.now()
    try {
      await act(item)
    } catch (error) {
      failures.push(error)
      failingMs += performance.now() - startedAtMs
    }
  }
  if (failures.length > 0) throw new Error(`failed for ${failures.length} of ${items.length}`, { cause: failures[0] })
}
