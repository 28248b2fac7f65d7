import type { Correspondent } from '@wangian/contracts/messaging.ts'
import type { ComponentProps } from 'react'
import { handOverConversation } from '../../contact/conversation-hand-off.ts'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'

/** To the conversation with somebody about a product. */
export function ChatLink({
  user: { id, username, profileImage },
  product,
  ...look
}: {
  user: Correspondent
  product: { readonly id: number; readonly name: string } | null
} & Omit<ComponentProps<typeof ButtonLink>, 'to' | 'onClick'>) {
  const handOver = () =>
    handOverConversation({
      userId: id,
      username,
      profileImage,
      productId: product?.id ?? null,
      productName: product?.name ?? null,
      templateMessage: '',
    })
  return <ButtonLink {...look} to={paths.messages()} onClick={handOver} />
}
