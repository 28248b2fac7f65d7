interface Placed {
  readonly type: string
  readonly stream: string
}

/** Events of one type. */
export interface Run<Event extends Placed> {
  readonly type: Event['type']
  readonly ofType: readonly Event[]
}

/** Events in few runs of one type each: an event joins the last run of its type, unless its stream has something in a later run. */
export function runsOf<Event extends Placed>(events: readonly Event[]): readonly Run<Event>[] {
  const runs: { readonly type: Event['type']; readonly ofType: Event[] }[] = []
  const lastOfType = new Map<string, number>()
  const lastOfStream = new Map<string, number>()
  for (const event of events) {
    const { type, stream } = event
    let index = lastOfType.get(type)
    if (index === undefined || index < (lastOfStream.get(stream) ?? 0)) {
      index = runs.push({ type, ofType: [] }) - 1
      lastOfType.set(type, index)
    }
    lastOfStream.set(stream, index)
    runs[index]?.ofType.push(event)
  }
  return runs
}
