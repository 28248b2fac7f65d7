/** For a schema: what is told of a missing value or one of another type. A bare text would be told of its bounds, too. */
export function unlessGiven(message: string) {
  return { error: ({ code }: { readonly code: string }) => (code === 'invalid_type' ? message : undefined) }
}
