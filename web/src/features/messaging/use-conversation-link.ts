import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { useEffect } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { call } from '../../api/client.ts'
import { handOverConversation } from '../../contact/conversation-hand-off.ts'
import { paths } from '../../paths.ts'

/**
 * Mails lead to a conversation by its address (`/messages?with=3&product=7`), for they cannot hand one over. Opens it as if it had been
 * handed over, and leaves the page's plain address.
 * @returns whether that is still under way
 */
export function useConversationLink(ownId: number | null): boolean {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const userId = IdParam.safeParse(query.get('with') ?? '').data
  const productId = IdParam.safeParse(query.get('product') ?? '').data
  const isLink = ownId !== null && userId !== undefined && userId !== ownId
  useEffect(() => {
    if (!isLink) return
    let isLeft = false
    void Promise.all([findPerson(userId), productId === undefined ? null : findProductName(productId)]).then(
      ([person, productName]) => {
        if (isLeft) return
        handOverConversation(ownId, {
          userId,
          username: person?.username ?? null,
          profileImage: person?.profileImage ?? null,
          productId: productName === null ? null : (productId ?? null),
          productName,
          templateMessage: '',
        })
        void navigate(paths.messages(), { replace: true })
      },
    )
    return () => {
      isLeft = true
    }
  }, [isLink, ownId, userId, productId, navigate])
  return isLink
}

/** Who cannot be found has left or is suspended; what was written can be read all the same. */
function findPerson(sellerId: number) {
  return call(shopRoutes.getSeller, { params: { sellerId } }).catch(() => null)
}

async function findProductName(productId: number): Promise<string | null> {
  const product = await call(catalogueRoutes.getProduct, { params: { productId } }).catch(() => null)
  return product?.name ?? null
}
