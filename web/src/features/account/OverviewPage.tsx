import { useState } from 'react'
import { styled } from 'styled-components'
import { formatDay } from '../../lib/dates.ts'
import { profileImageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { PersonLoader } from '../../profile/PersonLoader.tsx'
import { PictureUpload } from '../../profile/PictureUpload.tsx'
import { color, from, space, text } from '../../theme/theme.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { nameOf } from './person.ts'
import { WaitingCards } from './WaitingCards.tsx'

/** What waits for somebody, and who they are here, at a glance. */
export default function OverviewPage() {
  const { t } = useTranslation()
  const [isChanging, setChanging] = useState(false)
  const unset = <Unset>{t('account.notSet')}</Unset>
  return (
    <WaitingCards>
      <PersonLoader>
        {(person) => (
          <Columns>
            <Card>
              <Avatar src={profileImageSource(person.profileImage)} name={nameOf(person)} size="large" />
              <div>
                <Name>{nameOf(person)}</Name>
                <Username>@{person.username}</Username>
              </div>
              <Actions>
                <Button tone="secondary" size="small" onClick={() => setChanging(true)}>
                  {t('account.changePicture')}
                </Button>
                <ButtonLink tone="secondary" size="small" to={paths.seller(person.id)}>
                  {t('account.publicProfile')}
                </ButtonLink>
              </Actions>
            </Card>
            <div>
              <Facts
                facts={[
                  {
                    label: t('account.name'),
                    value: [person.firstName, person.lastName].filter(Boolean).join(' ') || unset,
                  },
                  { label: t('account.username'), value: person.username },
                  {
                    label: t('account.email'),
                    value: (
                      <>
                        {person.email}
                        {person.isVerified && <Verified>{t('account.verified')}</Verified>}
                      </>
                    ),
                  },
                  { label: t('account.address'), value: person.address || unset },
                  { label: t('account.kind'), value: t(`account.kinds.${kindOf(person)}`) },
                  { label: t('account.memberSince'), value: formatDay(person.createdAt) },
                ]}
              />
              <Edit>
                <ButtonLink size="small" to={paths.account('settings')}>
                  {t('account.edit')}
                </ButtonLink>
              </Edit>
            </div>
            {isChanging && <PictureUpload kind="avatar" personId={person.id} onClose={() => setChanging(false)} />}
          </Columns>
        )}
      </PersonLoader>
    </WaitingCards>
  )
}

function kindOf({ isAdmin, isSeller }: { isAdmin: boolean; isSeller: boolean }): 'admin' | 'seller' | 'buyer' {
  if (isAdmin) return 'admin'
  return isSeller ? 'seller' : 'buyer'
}

const Columns = styled.div`
  display: grid;
  gap: ${space(10)};
  ${from.desktop} { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: ${space(16)}; }
`

const Card = styled.div`
  display: grid;
  gap: ${space(4)};
  align-content: start;
  justify-items: start;
`

const Name = styled.h2`
  font-size: ${text.heading};
  overflow-wrap: anywhere;
`

const Username = styled.p`
  color: ${color.muted};
  overflow-wrap: anywhere;
`

const Actions = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
`

const Unset = styled.span`
  color: ${color.muted};
`

const Verified = styled.span`
  display: block;
  color: ${color.ok};
  font-size: ${text.small};
`

const Edit = styled.div`
  margin-top: ${space(6)};
`
