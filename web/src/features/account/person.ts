interface Named {
  readonly username: string
  readonly firstName: string | null
  readonly lastName: string | null
}

/** What somebody is called: by their own name where they gave one. */
export function nameOf({ username, firstName, lastName }: Named): string {
  return [firstName, lastName].filter(Boolean).join(' ') || username
}
