import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { escapeHtml } from '@wangian/kit/http/html.ts'
import type { App, AppReply } from '@wangian/kit/http/http.ts'
import type { Bill, BillAction } from './payment-sandbox.ts'

const actions: Readonly<Record<BillAction, string>> = {
  pay: 'Pay',
  fail: 'Fail',
  late: 'Pay, and tell the shop a minute later',
  silent: 'Pay, and never tell the shop',
}

/** `/dev/payment/bills/<id>`: a bill with buttons, which work without a script; `/dev/payment` has all of them as JSON. */
export function addBillPages(
  app: App,
  bills: {
    readonly find: (id: string) => Bill | undefined
    readonly list: () => readonly Bill[]
    readonly act: (id: string, action: BillAction) => Promise<string>
  },
): void {
  app.get('/dev/payment', async (_request, reply) => reply.send(bills.list().map(({ url, state }) => ({ url, state }))))
  app.get<{ Params: { id: string } }>('/dev/payment/bills/:id', async (request, reply) => {
    const bill = bills.find(request.params.id)
    if (bill === undefined) throw new Rejection('not-found')
    return sendPage(reply, bill)
  })
  for (const action of Object.keys(actions) as BillAction[]) {
    app.post<{ Params: { id: string } }>(`/dev/payment/bills/:id/${action}`, async (request, reply) =>
      reply.redirect(await bills.act(request.params.id, action), 303),
    )
  }
}

function sendPage(reply: AppReply, bill: Bill) {
  const amount = `RM ${ringgitFromSen(bill.amount).toFixed(2)}`
  const shop = new URL('/seller/dashboard?tab=boosted', bill.redirect_url).href
  const forms = Object.entries(actions).map(
    ([action, label]) =>
      `<form method="post" action="/dev/payment/bills/${escapeHtml(bill.id)}/${action}"><button>${label}</button></form>`,
  )
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    })
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment sandbox</title>
<style>
:root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
button { width: 100%; margin: 0.25rem 0; padding: 0.75rem; font: inherit; }
</style>
</head>
<body>
<main>
<h1>Payment sandbox</h1>
<p>Nobody pays anything here: this page stands in for the payment provider.</p>
<p>${escapeHtml(bill.description)}<br>Bill ${escapeHtml(bill.id)}, for ${escapeHtml(bill.name)}</p>
<p><strong>${amount}</strong></p>
${bill.paid ? '<p>This bill is paid.</p>' : forms.join('\n')}
<p><a href="${escapeHtml(shop)}">${bill.paid ? 'Back to the shop' : 'Pay later'}</a></p>
</main>
</body>
</html>
`)
}
