import { styled } from 'styled-components'

/** An address ends before the punctuation of the sentence around it. */
const addresses = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/g

/** What somebody wrote, as text: the only thing that becomes more of it is an address of the web. */
export function MessageText({ children }: { children: string }) {
  return (
    <Words>
      {partsOf(children).map(({ at, words, isAddress }) =>
        isAddress ? (
          <a key={at} href={words} target="_blank" rel="noopener noreferrer nofollow">
            {words}
          </a>
        ) : (
          <span key={at}>{words}</span>
        ),
      )}
    </Words>
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
  for (const { 0: words, index: at } of text.matchAll(addresses)) {
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
