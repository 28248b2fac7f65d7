import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import { phone, space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Input } from '../../ui/Field.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'

/** One field and its button. */
export function SearchForm({
  initial = '',
  button,
  tone = 'primary',
  stacks = false,
  onSearch,
}: {
  initial?: string
  button: string
  tone?: 'primary' | 'secondary'
  /** The button goes below the field on a phone. */
  stacks?: boolean
  onSearch: (search: string) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const [words, setWords] = useState(initial)
  return (
    <Form
      $stacks={stacks}
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
      <Input
        id={id}
        type="search"
        value={words}
        placeholder={t('shell.searchPlaceholder')}
        onChange={(event) => setWords(event.target.value)}
      />
      <Button type="submit" tone={tone}>
        {button}
      </Button>
    </Form>
  )
}

const Form = styled.form<{ $stacks: boolean }>`
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: ${space(2)};
  ${phone} { ${({ $stacks }) => $stacks && 'grid-template-columns: minmax(0, 1fr);'} }
`
