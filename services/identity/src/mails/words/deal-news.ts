/** What happened to a deal, as it is mailed to one of the two. */
export type DealNews =
  | 'offered'
  | 'purchase-confirmed'
  | 'payment-confirmed'
  | 'delivery-confirmed'
  | 'cancelled'
  | 'remind-purchase'
  | 'remind-payment'
  | 'remind-delivery'
