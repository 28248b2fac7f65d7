import { Client } from 'pg'

/** The rows that one statement has, by a connection of its own: whether somebody gets in is a part of the question. */
export async function query(url: string | undefined, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
