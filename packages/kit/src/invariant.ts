/** Something that must hold does not: a bug of ours, never the caller's fault. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
}

/**
 * States what must hold at this point.
 * @throws InvariantViolation with `message` when it does not
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message)
}
