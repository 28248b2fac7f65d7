import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

export type CaughtMail = z.infer<typeof CaughtMail>
const CaughtMail = z.object({
  id: z.uuid(),
  /** Whom the envelope names, separated by commas. */
  to: z.string(),
  from: z.string(),
  subject: z.string(),
  /** When it arrived, ISO 8601. */
  date: z.string(),
  text: z.string(),
  html: z.string(),
})

export interface MailFolder {
  add(mail: CaughtMail): Promise<void>
  find(id: string): CaughtMail | undefined
  /** Newest first. */
  list(to?: string): readonly CaughtMail[]
}

const MESSAGES_MAX = 500

/** Keeps the newest {@link MESSAGES_MAX} mails, one file each; a file that cannot be read is left alone. */
export async function openMailFolder(directory: string | undefined): Promise<MailFolder> {
  /** Oldest first. */
  const kept: { readonly file: string; readonly mail: CaughtMail }[] = []
  if (directory !== undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    for (const file of (await readdir(directory)).sort()) {
      const mail = file.endsWith('.json') ? await readMail(join(directory, file)) : undefined
      if (mail !== undefined) kept.push({ file, mail })
    }
  }
  let lastNumber = Number(kept.at(-1)?.file.split('-')[0] ?? 0)

  async function trim(): Promise<void> {
    for (const { file } of kept.splice(0, Math.max(kept.length - MESSAGES_MAX, 0))) {
      if (directory !== undefined) await rm(join(directory, file), { force: true })
    }
  }
  await trim()

  return {
    async add(mail) {
      lastNumber += 1
      const file = `${String(lastNumber).padStart(12, '0')}-${mail.id}.json`
      if (directory !== undefined) {
        await writeFile(join(directory, `${file}.new`), JSON.stringify(mail), { mode: 0o600 })
        await rename(join(directory, `${file}.new`), join(directory, file))
      }
      kept.push({ file, mail })
      kept.sort((one, other) => (one.file < other.file ? -1 : 1))
      await trim()
    },
    find: (id) => kept.find(({ mail }) => mail.id === id)?.mail,
    list(to) {
      const wanted = to?.trim().toLowerCase()
      const mails = kept.map(({ mail }) => mail).reverse()
      return wanted ? mails.filter((mail) => mail.to.toLowerCase().split(', ').includes(wanted)) : mails
    },
  }
}

async function readMail(file: string): Promise<CaughtMail | undefined> {
  try {
    return CaughtMail.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
