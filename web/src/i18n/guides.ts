/** A page of text: what a guide or a set of rules says, apart from how it looks. */
export interface Guide {
  readonly title: string
  /** One or two sentences below the title. */
  readonly intro: string
  /** The day on which its words last changed, `2026-11-21`; guides that bind nobody have none. */
  readonly updated?: string
  readonly sections: readonly GuideSection[]
}

interface GuideSection {
  /** For links to it. */
  readonly id: string
  readonly title: string
  readonly paragraphs: readonly string[]
  readonly points?: readonly string[]
  /** Where to go on from here. */
  readonly links?: readonly { readonly to: string; readonly label: string }[]
}

/** All of them in one language. */
export type Guides = Readonly<
  Record<'about' | 'authenticity' | 'buying' | 'privacy' | 'returns' | 'shipping' | 'terms', Guide>
>
