/**
 * What a language with one plural form says for the words of another: every key but those of a single thing, and none beside them.
 */
export type Translated<Words> = Words extends string
  ? string
  : { readonly [Key in keyof Words as Key extends `${string}_one` ? never : Key]: Translated<Words[Key]> }
