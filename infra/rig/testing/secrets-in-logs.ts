/** What a secret looks like, whosever it is. */
const shapes: Readonly<Record<string, RegExp>> = {
  'a token': /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/,
  'an address': /[\w.+-]+@[a-z0-9-]+\.[a-z][a-z.]+/i,
  'a password in a URL': /:\/\/[^\s/:@"]*:[^\s/@"]+@/,
  'a private key': /PRIVATE KEY|"(d|k)":"[\w-]{20,}"/,
}

/** What a run has logged, by the process that said it. */
export interface LoggedLine {
  readonly source: string
  readonly line: string
}

/**
 * The lines that hold a secret (promise P25).
 * @param known secrets of this run, by what they are
 * @returns what was found, where; the secret itself is said to nobody
 */
export function findSecrets(lines: readonly LoggedLine[], known: Readonly<Record<string, string>>): readonly string[] {
  const found = new Set<string>()
  for (const { source, line } of lines) {
    for (const [what, shape] of Object.entries(shapes))
      if (shape.test(line)) found.add(`${source}: ${what} in ${blank(line, shape)}`)
    for (const [what, secret] of Object.entries(known)) {
      if (line.includes(secret)) found.add(`${source}: ${what} in ${line.replaceAll(secret, '…')}`)
    }
  }
  return [...found]
}

function blank(line: string, shape: RegExp): string {
  return line.replace(new RegExp(shape, `${shape.flags}g`), '…')
}
