import { sentenceInPageLanguage } from '../i18n/in-page-language.ts'

/** What the auth provider answers when it refuses; `message` is its own sentence, `shown` the one for a person. */
export class ProviderError extends Error {
  readonly code: string | undefined

  constructor(message: string, code: string | undefined, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProviderError'
    this.code = code
  }

  get shown(): string {
    return sentenceInPageLanguage(this.message, this.code)
  }
}

export interface NewAccount {
  readonly email: string
  readonly password: string
  readonly username: string
  /** `null` for who has given none. */
  readonly firstName?: string | null | undefined
  readonly lastName?: string | null | undefined
}

/** What a link back to us carries of a session that the provider has opened already. */
export interface SessionTokens {
  readonly accessToken: string
  readonly refreshToken: string
}

/** What a mailed link is for. */
export type LinkKind = 'signup' | 'email_change'

/** Who came back from another provider. */
export interface SocialPerson {
  readonly email: string
  readonly provider: string
  /** Their id at that provider. */
  readonly providerId: string
}

/** What a link back to us carries, one of these. Whoever it is of may be somebody else than who opens it. */
export type LinkProof =
  | ({ readonly kind: 'session' } & SessionTokens)
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'link'; readonly tokenHash: string }

/** What a link has opened. The session that was there is as it was, and stays so unless this one is accepted. */
export interface OpenedLink {
  /** Of its person. */
  readonly email: string
  /** Whether the session that was there is of the same person. */
  readonly isOwn: boolean
  /** Takes its session over, in place of the one that was there. */
  accept(): Promise<string>
  /** Ends its session. */
  drop(): Promise<void>
}

/** What shows that somebody may choose a new password: a link, or the code of its mail. */
export type ResetProof = LinkProof | { readonly kind: 'digits'; readonly email: string; readonly digits: string }

/** A reset that is under way. It signs nobody in: what the provider opens for it stays here and ends with it. */
export interface PasswordReset {
  /**
   * @param factor what shows a second factor, where one is needed, see `SecondFactors.show`
   * @returns whether the session in this browser may have ended with it: another person's has not
   * @throws {ProviderError} after which it may be tried again; `insufficient_aal` when a second factor is needed
   */
  setPassword(password: string, factor?: string): Promise<boolean>
}

/** An app that shows a new code every 30 seconds. */
export interface AuthenticatorApp {
  readonly id: string
  readonly name: string
  /** ISO 8601. */
  readonly addedAt: string
}

/** An app that has not shown a code yet. */
export interface NewApp {
  readonly id: string
  /** The address of a picture that the app reads. */
  readonly picture: string
  /** The same to be typed. */
  readonly secret: string
}

/** What somebody shows beside their password. What gives a token has raised the session. */
export interface SecondFactors {
  /** @returns the apps that count, and how many recovery codes are left; `null` where there are none to be had */
  list(): Promise<{ readonly apps: readonly AuthenticatorApp[]; readonly codesLeft: number | null }>
  begin(): Promise<NewApp>
  /** Takes the first code of an app, which counts from then on. */
  confirm(appId: string, code: string): Promise<string>
  /** @returns a token that says so; `null` when that has ended the session */
  remove(appId: string): Promise<string | null>
  /** Recovery codes, in the place of those that there were. */
  newCodes(): Promise<readonly string[]>
  /** @param typed six digits of an app, or a recovery code */
  show(typed: string): Promise<string>
}

/** What somebody must know to change how they sign in. */
interface Login {
  readonly email: string
  readonly currentPassword: string
  /** What shows a second factor, where one is needed, see `SecondFactors.show`. */
  readonly factor: string | undefined
}
export type PasswordChange = Login & { readonly newPassword: string }
export type EmailChange = Login & { readonly newEmail: string }

/**
 * The hosted or embedded auth provider. All the tokens that it gives are access tokens of its own. What it refuses it
 * refuses with a `ProviderError`.
 */
export interface AuthProvider {
  signIn(email: string, password: string): Promise<string>
  /** `null` when the address must be verified before its owner can sign in. */
  signUp(account: NewAccount): Promise<string | null>
  /** Sends the mail of a new account again. */
  resendSignUpMail(email: string): Promise<void>
  /** Verifies an address by the six digits in the mail. */
  verifyDigits(email: string, digits: string): Promise<string>
  /** Verifies an address by the link in the mail. */
  openLink(kind: LinkKind, proof: LinkProof): Promise<OpenedLink>
  /** Takes over a session that was opened already. */
  acceptSession(tokens: SessionTokens): Promise<string>
  /** Gets the session for a code; only the browser that asked for the code can. */
  exchangeCode(code: string): Promise<string>
  isFacebookConfigured(): Promise<boolean>
  /** Where Facebook asks for consent; it leads back to `/auth-callback`. */
  facebookUrl(): Promise<string>
  /** Who has just come back from Facebook. */
  socialPerson(): Promise<SocialPerson>
  /** Whether the signed-in person can come in by Facebook. */
  isFacebookLinked(): Promise<boolean>
  /** From now on they cannot. Refused when it is their only way in. */
  unlinkFacebook(): Promise<void>
  /** Mails a link for a new password, or nothing when nobody has this address. */
  requestReset(email: string): Promise<void>
  openReset(proof: ResetProof): Promise<PasswordReset>
  readonly secondFactors: SecondFactors
  /**
   * Signs in again with the password at hand, sets the new one, and ends all other sessions at the provider. Only for a hosted one: with
   * the embedded one our own server does that.
   * @throws {ProviderError} `insufficient_aal` when a second factor is needed; the session stays as it was
   */
  changePassword(change: PasswordChange): Promise<string>
  /** Likewise; the new address counts when the link in the mail to it is opened. */
  changeEmail(change: EmailChange): Promise<string>
  /** Ends a session at the provider. @param stored what its client kept of it */
  signOut(stored: string): Promise<void>
  /** A token that is still valid, refreshed when needed; `null` when the session has ended. @throws {ProviderError} also when the provider cannot be reached */
  currentToken(): Promise<string | null>
  /** Called when this or another tab signed in, refreshed (`token`) or out (`null`). */
  onChange(listener: (token: string | null) => void): void
}

/** Where the provider's client keeps its session. That something is there is known without loading the client. */
export const providerStorageKey = 'wangian-session'
/** All that its client keeps: the session, and the secret of a sign-in that is under way. */
export const providerStorageKeys = [providerStorageKey, `${providerStorageKey}-code-verifier`] as const
