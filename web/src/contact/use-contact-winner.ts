import { formatRinggit } from '@wangian/contracts/money.ts'
import { useNavigate } from 'react-router-dom'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { useHandOver } from './use-hand-over.ts'

interface Winner {
  readonly id: number
  readonly username: string | null
}

/** The way from a listing to the conversation with whoever has won its auction. `amount` is in ringgit. */
export function useContactWinner(): (
  listing: { readonly id: number; readonly name: string },
  winner: Winner,
  amount: number,
) => void {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const handOver = useHandOver()
  return (listing, { id, username }, amount) => {
    // Whoever has left has no name any more, and reads nothing.
    if (username === null) return
    handOver({
      userId: id,
      username,
      profileImage: null,
      productId: listing.id,
      productName: listing.name,
      templateMessage: t('dashboard.auction.contactTemplate', {
        name: username,
        product: listing.name,
        amount: formatRinggit(amount),
      }),
      isOffer: true,
    })
    void navigate(paths.messages())
  }
}
