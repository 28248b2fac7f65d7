/** Does the work for every item, at most so many at once; the first failure is thrown when what runs has ended. */
export async function inParallel<Item>(
  runningMax: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const results = await Promise.allSettled(
    Array.from({ length: runningMax }, async () => {
      // All workers draw from the same iterator.
      for (const item of waiting) await work(item)
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
