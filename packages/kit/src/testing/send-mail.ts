import { createTransport, type SendMailOptions } from 'nodemailer'

/** Hands a mail to a mail server at once, past the queue. */
export async function sendMail(smtpUrl: string, mail: SendMailOptions): Promise<void> {
  const transport = createTransport(smtpUrl)
  await transport.sendMail({ from: 'Wangian <no-reply@wangian.test>', ...mail })
  transport.close()
}
