import { identityRoutes } from '@wangian/contracts/identity.ts'
import { z } from 'zod'
import { type Person, Refusal, signIn } from './site.ts'

/** The accounts that a person may want to sign in with; identity makes them, these and some more sellers, at its start. */
export const demoAccounts = [
  { username: 'admin', password: 'demo-admin' },
  { username: 'sarah', password: 'demo-seller' },
  { username: 'hafiz', password: 'demo-seller' },
  { username: 'bala', password: 'demo-buyer' },
  { username: 'mei', password: 'demo-buyer' },
].map((account) => ({ ...account, email: `${account.username}@wangian.test` }))

const SELLER_PASSWORD = 'demo-seller'
const schemas = {
  provider: z.object({ access_token: z.string() }),
  session: identityRoutes.exchangeSession.answers[200],
}

export interface People {
  /** `null` for those who changed their password or were never there; that is said once. */
  find(username: string): Promise<Person | null>
}

/** Signs people in when they are first needed. */
export function gatherPeople(url: string, log: (line: string) => void): People {
  const known = new Map<string, Promise<Person | null>>()
  const enter = async (username: string) => {
    const password = demoAccounts.find((account) => account.username === username)?.password ?? SELLER_PASSWORD
    try {
      return await signIn(url, username, password, schemas)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      log(`cannot sign in as ${username}, so what is theirs is left as it is (${error.message})`)
      return null
    }
  }
  return {
    find(username) {
      const person = known.get(username) ?? enter(username)
      known.set(username, person)
      return person
    },
  }
}
