import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'

const StoredMail = z.object({
  /** Whom the envelope names, separated by commas. */
  to: z.string(),
  from: z.string(),
  subject: z.string(),
  /** When it arrived, ISO 8601. */
  date: z.string(),
  text: z.string(),
  html: z.string(),
})
type StoredMail = z.infer<typeof StoredMail>

export interface CaughtMail extends StoredMail {
  /** The name of its file. */
  readonly id: string
}

export interface MailFolder {
  add(mail: StoredMail): Promise<void>
  find(id: string): CaughtMail | undefined
  /** Newest first; all of them, or those to an address. */
  list(to?: string): readonly CaughtMail[]
}

const MESSAGES_MAX = 500

/** Keeps the newest {@link MESSAGES_MAX} mails, one file each; a file that cannot be read is left alone. */
export async function openMailFolder(directory: string): Promise<MailFolder> {
  /** Oldest first. */
  const kept: CaughtMail[] = []
  const fileOf = (id: string) => join(directory, `${id}.json`)
  const trim = async () => {
    for (const { id } of kept.splice(0, Math.max(kept.length - MESSAGES_MAX, 0))) await rm(fileOf(id), { force: true })
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json'))
  for (const id of names.map((name) => basename(name, '.json')).sort()) {
    const mail = await readMail(fileOf(id))
    if (mail !== undefined) kept.push({ id, ...mail })
  }
  let lastNumber = Number.parseInt(kept.at(-1)?.id ?? '0', 10)
  await trim()
  return {
    async add(mail) {
      lastNumber += 1
      const id = String(lastNumber).padStart(12, '0')
      await writeFile(fileOf(id), JSON.stringify(mail), { mode: 0o600 })
      kept.push({ id, ...mail })
      await trim()
    },
    find: (id) => kept.find((mail) => mail.id === id),
    list(to) {
      const wanted = to?.trim().toLowerCase()
      return kept.filter((mail) => !wanted || mail.to.toLowerCase().split(', ').includes(wanted)).reverse()
    },
  }
}

async function readMail(file: string): Promise<StoredMail | undefined> {
  try {
    return StoredMail.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
