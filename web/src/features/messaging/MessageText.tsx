import { memo } from 'react'
import { styled } from 'styled-components'
import { inLanguage } from '../../i18n/in-language.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, text as size, space } from '../../theme/theme.ts'
import { contactDetailsIn, findAddresses } from './contact-details.ts'

/**
 * What somebody wrote, as text: the only thing that becomes more of it is an address of the web, unless links are to be plain. What leads around
 * us is said below it. A conversation is drawn often, and looked through once.
 */
export const MessageText = memo(function MessageText({
  children,
  areLinksPlain = false,
}: {
  children: string
  areLinksPlain?: boolean
}) {
  return (
    <>
      <Words>
        {partsOf(children).map(({ at, words, isAddress }) =>
          isAddress && !areLinksPlain ? (
            <a key={at} href={words} target="_blank" rel="noopener noreferrer nofollow">
              {words}
            </a>
          ) : (
            <span key={at}>{words}</span>
          ),
        )}
      </Words>
      <Warning text={children} areLinksPlain={areLinksPlain} />
    </>
  )
})

const allOf = inLanguage((_locale, language) => new Intl.ListFormat(language))

function Warning({ text, areLinksPlain }: { text: string; areLinksPlain: boolean }) {
  const { t } = useTranslation()
  const details = contactDetailsIn(text, window.location.host)
  if (details.length === 0) return null
  const list = allOf().format(details.map((detail) => t(`messages.details.${detail}`)))
  return (
    <Care role="note">
      {t('messages.warning', { details: list })}
      {areLinksPlain && details.includes('link') && ` ${t('messages.plainLinks')}`}
    </Care>
  )
}

interface Part {
  /** Where it begins. */
  readonly at: number
  readonly words: string
  readonly isAddress: boolean
}

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const { words, at } of findAddresses(text)) {
    if (at > end) parts.push({ at: end, words: text.slice(end, at), isAddress: false })
    parts.push({ at, words, isAddress: true })
    end = at + words.length
  }
  if (end < text.length) parts.push({ at: end, words: text.slice(end), isAddress: false })
  return parts
}

const Words = styled.p`
  overflow-wrap: anywhere;
  white-space: pre-wrap;
`

const Care = styled.p`
  margin-top: ${space(2)};
  padding-top: ${space(2)};
  border-top: 1px solid ${color.line};
  color: ${color.warn};
  font-size: ${size.small};
`
