import { z } from 'zod'

const Found = z.object({ messages: z.array(z.object({ ID: z.string() })) })
const Message = z.object({ Text: z.string() })

/** The text of the newest mail to this address that Mailpit has caught; `undefined` while there is none. */
export async function newestMailIn(mailpitUrl: string, email: string): Promise<string | undefined> {
  const read = async (path: string) => (await fetch(`${mailpitUrl}/api/v1${path}`)).json()
  const { messages } = Found.parse(await read(`/search?query=${encodeURIComponent(`to:"${email}"`)}`))
  const [newest] = messages
  return newest === undefined ? undefined : Message.parse(await read(`/message/${newest.ID}`)).Text
}
