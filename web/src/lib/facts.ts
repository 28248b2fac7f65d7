import { formatDateTime } from './date-time.ts'

/** One line of a list of facts; none where it is not known, or empty. */
export function knownFact(
  label: string,
  value: string | null | undefined,
): readonly { readonly label: string; readonly value: string }[] {
  return value ? [{ label, value }] : []
}

/** When something was, an instant in ISO 8601; no line where it has not been. */
export function momentFact(label: string, instant: string | null) {
  return knownFact(label, instant && formatDateTime(instant))
}
