import { Search } from 'lucide-react'
import { useId } from 'react'
import { styled } from 'styled-components'
import { searchedIn, searchName } from '../../lib/search-form.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { space } from '../../theme/theme.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Input } from '../../ui/Input.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { addressOf, type ProductQuery } from './product-query.ts'

/** The words that a list is searched by, in a field with its button. The browser's own submit, before the app is at work, keeps what it is narrowed by. */
export function SearchForm({ query, onSearch }: { query: ProductQuery; onSearch: (search: string) => void }) {
  const { t } = useTranslation()
  const id = useId()
  const [path, others] = addressOf({ ...query, search: '' }).split('?')
  return (
    <Form
      role="search"
      aria-label={t('shell.search')}
      action={path}
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(searchedIn(event.currentTarget))
      }}
    >
      {[...new URLSearchParams(others)].map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      <VisuallyHidden as="label" htmlFor={id}>
        {t('shell.search')}
      </VisuallyHidden>
      <Words
        id={id}
        type="search"
        name={searchName}
        defaultValue={query.search}
        placeholder={t('shell.searchPlaceholder')}
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
