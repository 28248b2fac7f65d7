import { createHash } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import type { App, AppReply } from '@wangian/kit/http/http.ts'
import { z } from 'zod'
import { demoEmail } from '../accounts/demo-accounts.ts'
import { findOpenFlow } from './flow-state.ts'
import { namesOf, type OAuthProfile, type OAuthProvider } from './oauth.ts'
import { type StandInForm, standInPage, standInPeople } from './oauth-stand-in-page.ts'

const PATH = '/stand-in/facebook'
const CODE_LENGTH_MAX = 4096

const Code = z.object({ subject: z.string(), email: z.string().nullable(), name: z.string() })

/**
 * What stands for Facebook where there is no app of ours at Facebook: a page on which everybody can be anybody. Its code
 * is nothing but what was chosen there, for a signature would prove no more. Not for production.
 */
export function createFacebookStandIn(providerUrl: string): OAuthProvider {
  return {
    name: 'facebook',
    isStandIn: true,
    dialogUrl: ({ state }) => `${providerUrl}${PATH}?${new URLSearchParams({ state })}`,
    async fetchProfile(code) {
      const parsed = Code.safeParse(decode(code))
      if (!parsed.success) throw new Failure('the code is not from the stand-in')
      const { subject, email, name } = parsed.data
      return { subject, email, ...namesOf({ name }) } satisfies OAuthProfile
    },
  }
}

const Form = z.object({
  state: z.string(),
  decision: z.enum(['allow', 'cancel']),
  person: z.string().default('other'),
  name: z.string().trim().max(100).default(''),
  email: z.string().trim().max(255).default(''),
  id: z.string().trim().max(64).default(''),
})

/** Adds the stand-in's page; the scope must read forms, see oauth-routes.ts. */
export function addStandInRoutes(
  scope: App,
  dependencies: { readonly pool: DatabasePool; readonly providerUrl: string; readonly now: () => Date },
): void {
  const { pool, providerUrl, now } = dependencies
  const action = `${providerUrl}${PATH}`
  const back = (query: Readonly<Record<string, string>>) => `${providerUrl}/callback?${new URLSearchParams(query)}`

  /** @param redirectTo where the form will lead in the end, which browsers demand to be allowed from the start */
  function show(reply: AppReply, page: { state: string; redirectTo: string; form: StandInForm; status: number }) {
    const { state, redirectTo, form, status } = page
    const origins = new Set([new URL(providerUrl).origin, new URL(redirectTo).origin])
    const formTargets = `'self' ${[...origins].join(' ')}`
    return reply
      .code(status)
      .header('content-type', 'text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'unsafe-inline'; form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'`,
      )
      .header('referrer-policy', 'no-referrer')
      .send(standInPage({ action, state, form }))
  }

  scope.get(PATH, async (request, reply) => {
    const { state } = request.query as { state?: unknown }
    const found = await findOpenFlow(pool, state, now())
    // The callback has the words for a state that is no good.
    if (found.outcome !== 'open') return reply.redirect(back({ state: String(state ?? '') }), 302)
    const { id, redirectTo } = found.flow
    return show(reply, { state: id, redirectTo, form: { name: '', email: '', id: '', problem: null }, status: 200 })
  })

  scope.post(PATH, async (request, reply) => {
    const parsed = Form.safeParse(request.body)
    if (!parsed.success) return reply.redirect(back({ state: '' }), 303)
    const { state, decision, person, ...form } = parsed.data
    const found = await findOpenFlow(pool, state, now())
    if (found.outcome !== 'open') return reply.redirect(back({ state }), 303)
    if (decision === 'cancel') {
      return reply.redirect(back({ state, error: 'access_denied', error_reason: 'user_denied' }), 303)
    }
    const chosen = person === 'other' ? typed(form) : demoPerson(person)
    if (chosen === null) {
      const { redirectTo } = found.flow
      const problem = 'Please type a name, and an e-mail address that is one or none.'
      return show(reply, { state, redirectTo, form: { ...form, problem }, status: 422 })
    }
    return reply.redirect(back({ state, code: Buffer.from(JSON.stringify(chosen)).toString('base64url') }), 303)
  })
}

function typed({ name, email, id }: { name: string; email: string; id: string }): z.infer<typeof Code> | null {
  if (name === '' || (email !== '' && !z.email().safeParse(email).success)) return null
  const subject = id === '' ? madeUpId(email === '' ? name : email.toLowerCase()) : id
  return { subject, email: email === '' ? null : email, name }
}

function demoPerson(username: string): z.infer<typeof Code> | null {
  const person = standInPeople.find((candidate) => candidate.username === username)
  if (person === undefined) return null
  const email = demoEmail(username)
  return { subject: madeUpId(email), email, name: `${person.firstName} ${person.lastName}` }
}

/** The same text is always the same person. Looks like one of Facebook's. */
function madeUpId(text: string): string {
  return `1${createHash('sha256').update(text).digest().readUInt32BE(0).toString().padStart(10, '0')}`
}

function decode(code: string): unknown {
  if (code.length > CODE_LENGTH_MAX) return null
  try {
    return JSON.parse(Buffer.from(code, 'base64url').toString())
  } catch {
    return null
  }
}
