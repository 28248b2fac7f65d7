import { Search } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import { space } from '../../theme/theme.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Input } from '../../ui/Input.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'

/** The words that a list is searched by, in a field with its button. */
export function SearchForm({ initial, onSearch }: { initial: string; onSearch: (search: string) => void }) {
  const { t } = useTranslation()
  const id = useId()
  const [words, setWords] = useState(initial)
  return (
    <Form
      role="search"
      aria-label={t('shell.search')}
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(words.trim())
      }}
    >
      <VisuallyHidden as="label" htmlFor={id}>
        {t('shell.search')}
      </VisuallyHidden>
      <Words
        id={id}
        type="search"
        value={words}
        placeholder={t('shell.searchPlaceholder')}
        onChange={(event) => setWords(event.target.value)}
      />
      <Submit type="submit" aria-label={t('shell.searchButton')}>
        <Search size={20} strokeWidth={1.5} aria-hidden />
      </Submit>
    </Form>
  )
}

const Form = styled.form`
  position: relative;
`

const Words = styled(Input)`
  padding-right: ${space(13)};
  &::-webkit-search-cancel-button { display: none; }
`

const Submit = styled(IconButton)`
  position: absolute;
  top: ${space(0.5)};
  right: ${space(0.5)};
`
