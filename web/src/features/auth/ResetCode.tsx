import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router-dom'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { CodeField } from './CodeField.tsx'
import { MailedCode } from './schemas.ts'

/** For whoever reads the mail on another device: the code takes the place of the link. */
export function ResetCode({ email }: { email: string }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const navigate = useNavigate()
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(MailedCode),
    defaultValues: { digits: '' },
  })
  const submit = ({ digits }: { digits: string }) => {
    void navigate(paths.resetPassword(), { state: { email, digits } })
  }
  return (
    <form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <CodeField error={wordsOf(formState.errors.digits)} submit={t('auth.useCode')} {...register('digits')} />
    </form>
  )
}
