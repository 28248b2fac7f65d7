/** Throws when something that must hold does not: a mistake of ours, never a person's. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant failed: ${message}`)
}
