import type { ErrorCode } from '@wangian/contracts/errors.ts'

/** What servers say in English, in another language. */
export interface Said {
  /** By the code of an error, where the sentence itself is not known. */
  readonly byCode: Readonly<Record<ErrorCode, string>>
  /** By the code of a refusal of the auth provider. */
  readonly byProviderCode: Readonly<Record<string, string>>
  /** By the English sentence. */
  readonly bySentence: Readonly<Record<string, string>>
  /** Sentences with parts that change, the first that fits counts; `$1` is what stands in the first brackets. */
  readonly byPattern: readonly (readonly [sentence: RegExp, otherwise: string])[]
  /** The names of fields within such parts. */
  readonly names: Readonly<Record<string, string>>
}

/** `undefined` where neither a sentence nor its code is known. */
export type Translator = (sentence: string, code: string | undefined) => string | undefined

export function translatorOf(said: Said): Translator {
  const byCode: Readonly<Record<string, string>> = { ...said.byProviderCode, ...said.byCode }
  return (sentence, code = '') => said.bySentence[sentence] ?? ofPattern(said, sentence) ?? byCode[code]
}

function ofPattern({ byPattern, names }: Said, sentence: string): string | undefined {
  for (const [pattern, otherwise] of byPattern) {
    const [, name = '', value = ''] = pattern.exec(sentence) ?? []
    if (name) return otherwise.replace('$1', () => names[name] ?? name).replace('$2', () => value)
  }
  return undefined
}
