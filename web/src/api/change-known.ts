/** For SWR's `mutate`: asks nobody. */
export const unasked = { revalidate: false } as const

/** What SWR has of one key: how it is set, and how it is asked for again. */
interface Kept<Data> {
  readonly set: (change: (known: Data | undefined) => Data | undefined) => Promise<Data | undefined>
  readonly ask: () => Promise<unknown>
}

/**
 * Changes what is known, when the server has changed it. SWR lets the answer fall that is under way when a change comes. Where nothing was known yet, it
 * is asked again, and changed too: what answers may hear of the change later than whoever made it.
 *
 * @param change may be called with what has the change already
 */
export async function changeKnown<Data>({ set, ask }: Kept<Data>, change: (known: Data) => Data): Promise<void> {
  const changed = () => set((known) => known && change(known))
  if ((await changed()) !== undefined) return
  await ask()
  await changed()
}
