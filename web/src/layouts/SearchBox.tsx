import { Search } from 'lucide-react'
import { useLocation, useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { searchedIn, searchName } from '../lib/search-form.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { color, from, motion, radius, space, text } from '../theme/theme.ts'

/** The search of the header, where there is room for it. It is out of sight while it rests. */
export function SearchBox({ isResting = false }: { isResting?: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const current = pathname === paths.products() ? (new URLSearchParams(search).get('search') ?? '') : ''
  return (
    <SearchForm
      role="search"
      aria-label={t('shell.searchSite')}
      data-resting={isResting || undefined}
      action={paths.products()}
      onSubmit={(event) => {
        event.preventDefault()
        void navigate(paths.products({ search: searchedIn(event.currentTarget) }))
      }}
    >
      <SearchField
        type="search"
        aria-label={t('shell.search')}
        name={searchName}
        defaultValue={current}
        placeholder={t('shell.searchPlaceholder')}
      />
      <SearchButton type="submit" aria-label={t('shell.searchButton')}>
        <Search size={18} strokeWidth={1.5} aria-hidden />
      </SearchButton>
    </SearchForm>
  )
}

const SearchForm = styled.form`
  position: relative;
  display: none;
  flex: 1;
  max-width: ${space(104)};
  ${from.tablet} {
    display: block;
    &[data-resting]:not(:focus-within) { visibility: hidden; }
  }
`

const SearchField = styled.input`
  text-overflow: ellipsis;
  width: 100%;
  min-height: ${space(10)};
  padding: 0 ${space(10)} 0 ${space(4)};
  border: 1px solid ${color.line};
  border-radius: ${radius.round};
  background: ${color.surface};
  font-size: ${text.body};
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.edge}; }
  &::placeholder { color: ${color.muted}; opacity: 1; }
  &::-webkit-search-cancel-button { display: none; }
`

const SearchButton = styled.button`
  position: absolute;
  top: 0;
  right: 0;
  display: grid;
  place-items: center;
  width: ${space(10)};
  height: ${space(10)};
  padding: 0;
  border: 0;
  border-radius: ${radius.round};
  background: none;
  color: ${color.muted};
  &:hover { color: ${color.ink}; }
`
