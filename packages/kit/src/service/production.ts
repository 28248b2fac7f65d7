/** Passwords that everybody knows: from examples, from other programs' defaults, from our own demo data. */
const knownSecrets = new Set([
  'admin',
  'change-me',
  'changeme',
  'demo',
  'demo-admin',
  'demo-buyer',
  'demo-seller',
  'example',
  'minioadmin',
  'nats',
  'password',
  'postgres',
  'root',
  'secret',
  'super-secret-jwt-token-with-at-least-32-characters-long',
  'test',
  'wangian',
])

/** Variables that are secrets, or addresses that carry one. */
const secretNames = /(SECRET|PASSWORD)/
const addressNames = /_URL$/

type Variables = Readonly<Record<string, string | undefined>>

/**
 * What an environment must not be when strangers reach the system.
 * @param variables what is set; those that a program does not read are left out by the caller
 * @param needed the variables that must be set, of those below
 * @returns a sentence for each variable that has to be changed, which never repeats a secret
 */
export function productionProblems(variables: Variables, needed: readonly ('PUBLIC_URL' | 'SMTP_URL')[]): string[] {
  const { PUBLIC_URL, SEED, RATE_LIMIT_FACTOR, NATS_URL } = variables
  const problems: string[] = []
  if (PUBLIC_URL === undefined && needed.includes('PUBLIC_URL')) {
    problems.push('PUBLIC_URL is missing: set it to the address that people use, such as https://wangian.example.com')
  }
  if (PUBLIC_URL?.startsWith('http:') && !isOnThisMachine(PUBLIC_URL)) {
    problems.push('PUBLIC_URL: must begin with https://, because passwords and sessions travel to it')
  }
  if (variables['SMTP_URL'] === undefined && needed.includes('SMTP_URL')) {
    problems.push('SMTP_URL is missing: set it to your mail server, such as smtps://user:password@mail.example.com')
  }
  if (SEED === 'demo')
    problems.push('SEED: must not be demo, because everybody knows the passwords of the demo accounts')
  if (RATE_LIMIT_FACTOR !== undefined && RATE_LIMIT_FACTOR !== '1') {
    problems.push('RATE_LIMIT_FACTOR: must be 1, because more of it protects nobody')
  }
  if (NATS_URL?.split(',').some((url) => URL.canParse(url) && new URL(url).username === '')) {
    problems.push('NATS_URL: needs a user and a password, such as nats://wangian:a-long-password@host:4222')
  }
  for (const [name, value = ''] of Object.entries(variables)) {
    const secrets = secretNames.test(name) ? [value] : addressNames.test(name) ? passwordsIn(value) : []
    if (secrets.some((secret) => knownSecrets.has(secret.toLowerCase()))) {
      problems.push(`${name}: has a password that everybody knows: choose one of your own`)
    }
  }
  return problems
}

/** Whether only this machine can reach an address, or a host. */
export function isOnThisMachine(address: string): boolean {
  const host = URL.canParse(address) && address.includes('//') ? new URL(address).hostname : address
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
}

/** The passwords of one address, or of several with commas between them. */
function passwordsIn(addresses: string): string[] {
  return addresses
    .split(',')
    .filter((address) => URL.canParse(address))
    .map((address) => decoded(new URL(address).password))
}

/** A password may hold a `%` that was meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
