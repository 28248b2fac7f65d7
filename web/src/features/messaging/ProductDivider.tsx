import type { Message } from '@wangian/contracts/messaging.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { imageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, radius, space, text } from '../../theme/theme.ts'
import { Picture } from '../../ui/Picture.tsx'

type Product = NonNullable<Message['product']>

/** From here on, the messages are about this bottle. */
export function ProductDivider({ product }: { product: Product }) {
  const { t } = useTranslation()
  return (
    <Line>
      <Thumb>
        <Picture src={imageSource(product.imageUrl)} alt="" sizes="24px" />
      </Thumb>
      <Words>
        {t('messages.regarding')}
        {product.isRemoved ? (
          t('messages.removedProduct', { product: product.name })
        ) : (
          <Link to={paths.product(product.id)}>{product.name}</Link>
        )}
      </Words>
    </Line>
  )
}

/** The bottle of which a message is the first to speak, by the id of the message. What is about none changes nothing. */
export function dividersOf(messages: readonly Message[]): ReadonlyMap<number, Product> {
  const dividers = new Map<number, Product>()
  let spokenOf: number | null = null
  for (const { id, product } of messages) {
    if (product === null || product.id === spokenOf) continue
    spokenOf = product.id
    dividers.set(id, product)
  }
  return dividers
}

const Line = styled.div`
  display: flex;
  flex: none;
  gap: ${space(2)};
  align-items: center;
  padding: ${space(2)} 0;
  color: ${color.muted};
  font-size: ${text.small};
  &::before, &::after { flex: 1; min-width: ${space(4)}; border-top: 1px solid ${color.line}; content: ''; }
`

const Thumb = styled.span`
  flex: none;
  width: ${space(6)};
  overflow: hidden;
  border-radius: ${radius.small};
`

const Words = styled.p`
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
`
