/** Of things that have the same key only the last one, e.g. for an upsert, which takes each row once. */
export function lastOfEach<Of>(all: readonly Of[], key: (one: Of) => number | string): Of[] {
  return [...new Map(all.map((one) => [key(one), one])).values()]
}
