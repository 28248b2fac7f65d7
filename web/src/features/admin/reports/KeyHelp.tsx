import { Keyboard } from 'lucide-react'
import { styled } from 'styled-components'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, phone, radius, space, text } from '../../../theme/theme.ts'
import { keysOf } from './report-keys.ts'

/** The keys that work on a report. */
export function KeyHelp() {
  const { t } = useTranslation()
  return (
    <Frame aria-label={t('admin.reports.keys')} role="group">
      <Keyboard size={18} strokeWidth={1.5} aria-hidden />
      <List>
        {(Object.keys(keysOf) as (keyof typeof keysOf)[]).map((name) => (
          <div key={name}>
            <dt>
              {keysOf[name].map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(`admin.reports.keyNames.${name}`)}</dd>
          </div>
        ))}
      </List>
    </Frame>
  )
}

/** Who holds a phone has no keys. */
const Frame = styled.div`
  display: flex;
  gap: ${space(2)};
  align-items: center;
  color: ${color.muted};
  font-size: ${text.small};
  ${phone} { display: none; }
`

const List = styled.dl`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)} ${space(3)};
  margin: 0;
  div { display: flex; gap: ${space(1.5)}; align-items: center; }
  dt { display: flex; gap: ${space(0.5)}; }
  dd { margin: 0; }
  kbd {
    min-width: ${space(5.5)};
    padding: 0 ${space(1)};
    border: 1px solid ${color.edge};
    border-radius: ${radius.small};
    color: ${color.ink};
    font-family: inherit;
    text-align: center;
  }
`
