import type { Correspondent } from '@wangian/contracts/messaging.ts'
import type { ComponentProps } from 'react'
import { useHandOver } from '../../contact/use-hand-over.ts'
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
  const handOver = useHandOver()
  const conversation = {
    userId: id,
    username,
    profileImage,
    productId: product?.id ?? null,
    productName: product?.name ?? null,
    templateMessage: '',
  }
  return <ButtonLink {...look} to={paths.messages()} onClick={() => handOver(conversation)} />
}
