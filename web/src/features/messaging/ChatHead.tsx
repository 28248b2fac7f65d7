import type { Conversation, Message } from '@wangian/contracts/messaging.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { profileImageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, space, text, weight } from '../../theme/theme.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { ChatMenu } from './ChatMenu.tsx'

/** Who somebody writes with, and about what. */
export function ChatHead({
  user,
  product,
  known,
  messages,
  onBlockChanged,
}: {
  user: Conversation['user']
  product: { readonly id: number; readonly name: string | null } | null
  /** The same conversation in the list, unless nothing has been written yet. */
  known: Conversation | undefined
  /** What is on the screen of it. */
  messages: readonly Message[]
  onBlockChanged: () => Promise<void>
}) {
  const { t } = useTranslation()
  const name = user.username ?? t('person.deleted')
  const isRemoved = known?.product?.isRemoved === true && known.product.id === product?.id
  return (
    <Head>
      <Avatar src={profileImageSource(user.profileImage)} name={name} />
      <div>
        <Name>{name}</Name>
        {product?.name && (
          <About>
            {t('messages.regarding')}
            {isRemoved ? (
              t('messages.removedProduct', { product: product.name })
            ) : (
              <Link to={paths.product(product.id)}>{product.name}</Link>
            )}
          </About>
        )}
      </div>
      {known && user.username !== null && (
        <ChatMenu
          userId={user.id}
          name={name}
          isBlocked={known.isBlocked}
          messages={messages}
          onChanged={onBlockChanged}
        />
      )}
    </Head>
  )
}

const Head = styled.div`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  min-height: ${space(17)};
  padding: ${space(3)} ${space(5)};
  border-bottom: 1px solid ${color.line};
  & > div { flex: 1; min-width: 0; }
`

const Name = styled.h2`
  overflow: hidden;
  font-family: inherit;
  font-size: ${text.lead};
  font-weight: ${weight.strong};
  letter-spacing: 0;
  line-height: 1.3;
  text-overflow: ellipsis;
  white-space: nowrap;
`

const About = styled.p`
  overflow: hidden;
  color: ${color.muted};
  font-size: ${text.small};
  text-overflow: ellipsis;
  white-space: nowrap;
`
