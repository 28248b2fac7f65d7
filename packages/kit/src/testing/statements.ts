import { AsyncLocalStorage } from 'node:async_hooks'
import { Client } from 'pg'

const recorder = new AsyncLocalStorage<string[]>()
const { query } = Client.prototype
Client.prototype.query = function (this: Client, ...asked: [string | { readonly text: string }]) {
  const [statement] = asked
  recorder.getStore()?.push((typeof statement === 'string' ? statement : statement.text).trim())
  return Reflect.apply(query, this, asked)
} as typeof query

/**
 * What a piece of work sends to databases, in order, with the begin and the end of transactions: each waits for an answer, so that they are
 * its round trips. What others send meanwhile does not count.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const statements: string[] = []
  await recorder.run(statements, work)
  return statements
}
