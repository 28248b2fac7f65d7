import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { styled } from 'styled-components'
import { color, space } from '../theme/theme.ts'
import { Input } from './Input.tsx'

const searchDelayMs = 300

/** Searches a moment after the last key, and shows what is searched for when that changes elsewhere. */
export function SearchField({
  label,
  placeholder,
  search,
  onSearch,
}: {
  label: string
  placeholder: string
  search: string
  /** Keep it between renders. */
  onSearch: (words: string) => void
}) {
  const [typed, setTyped] = useState(search)
  const [searched, setSearched] = useState(search)
  if (search !== searched) {
    setSearched(search)
    if (search !== typed.trim()) setTyped(search)
  }
  useEffect(() => {
    if (typed.trim() === search) return
    const timer = setTimeout(() => onSearch(typed.trim()), searchDelayMs)
    return () => clearTimeout(timer)
  }, [typed, search, onSearch])
  return (
    <Frame role="search">
      <Search size={20} strokeWidth={1.5} aria-hidden />
      <Input
        type="search"
        maxLength={100}
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Frame>
  )
}

const Frame = styled.div`
  position: relative;
  svg { position: absolute; top: 0; bottom: 0; left: ${space(3)}; margin: auto 0; color: ${color.muted}; pointer-events: none; }
  input { padding-left: ${space(10)}; }
`
