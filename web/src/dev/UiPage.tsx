import { useEffect, useRef } from 'react'
import { styled } from 'styled-components'
import { type SchemeChoice, useSchemeChoice } from '../theme/scheme.ts'
import { color, layer, space, text, width } from '../theme/theme.ts'
import { Radio, RadioGroup } from '../ui/Choices.tsx'
import { Page, PageIntro, PageTitle } from '../ui/Page.tsx'
import { DataParts } from './DataParts.tsx'
import { FloatingParts } from './FloatingParts.tsx'
import { FormParts } from './FormParts.tsx'
import { TokenParts } from './TokenParts.tsx'

const schemes: readonly SchemeChoice[] = ['system', 'light', 'dark']

/** Every primitive in every state, for those who build pages with them. Production does not have it. */
export default function UiPage() {
  const [scheme, choose] = useSchemeChoice()
  const before = useRef(scheme)
  // What is tried here is not what was chosen for the app.
  useEffect(() => () => choose(before.current), [choose])
  return (
    <Page>
      <title>UI · Wangian</title>
      <meta name="robots" content="noindex" />
      <PageTitle>The parts we build with</PageTitle>
      <PageIntro>Every primitive of web/src/ui in every state. What a page needs is here, or belongs here.</PageIntro>
      <SchemeBar>
        <RadioGroup legend="Appearance">
          <Row>
            {schemes.map((each) => (
              <Radio
                key={each}
                name="scheme"
                label={each}
                value={each}
                checked={each === scheme}
                onChange={() => choose(each)}
              />
            ))}
          </Row>
        </RadioGroup>
      </SchemeBar>
      <TokenParts />
      <FormParts />
      <FloatingParts />
      <DataParts />
    </Page>
  )
}

const SchemeBar = styled.div`
  position: sticky;
  z-index: ${layer.bar};
  top: ${space(16)};
  max-width: ${width.page};
  margin-top: ${space(6)};
  padding: ${space(2)} 0;
  border-bottom: 1px solid ${color.line};
  background: ${color.paper};
  font-size: ${text.small};
`

const Row = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(6)};
`
