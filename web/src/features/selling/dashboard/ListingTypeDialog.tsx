import { Gavel, Tag } from 'lucide-react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, from, motion, radius, space, text } from '../../../theme/theme.ts'
import { Dialog } from '../../../ui/Dialog.tsx'

/** The first question about a new listing; each answer has a form of its own. */
export function ListingTypeDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('dashboard.type.title')}
      intro={t('dashboard.type.intro')}
      closeLabel={t('shell.closeToast')}
      onClose={onClose}
    >
      <Choices>
        <Choice to={paths.newProduct('fixed')}>
          <Tag size={24} strokeWidth={1.5} aria-hidden />
          <Name>{t('dashboard.type.fixed')}</Name>
          <Words>{t('dashboard.type.fixedText')}</Words>
        </Choice>
        <Choice to={paths.newProduct('auction')}>
          <Gavel size={24} strokeWidth={1.5} aria-hidden />
          <Name>{t('dashboard.type.auction')}</Name>
          <Words>{t('dashboard.type.auctionText')}</Words>
        </Choice>
      </Choices>
    </Dialog>
  )
}

const Choices = styled.div`
  display: grid;
  gap: ${space(3)};
  margin-top: ${space(6)};
  ${from.tablet} { grid-template-columns: 1fr 1fr; }
`

const Choice = styled(Link)`
  display: grid;
  gap: ${space(1)};
  align-content: start;
  padding: ${space(5)};
  border: 1px solid ${color.edge};
  border-radius: ${radius.large};
  text-decoration: none;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
  svg { margin-bottom: ${space(2)}; color: ${color.accent}; }
`

const Name = styled.span`
  font-size: ${text.lead};
`

const Words = styled.span`
  color: ${color.muted};
  font-size: ${text.small};
`
