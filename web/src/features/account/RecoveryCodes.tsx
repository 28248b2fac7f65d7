import { useState } from 'react'
import { styled } from 'styled-components'
import { copy } from '../../lib/copy.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, radius, space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { UnsavedChanges } from '../../ui/UnsavedChanges.tsx'

/** Recovery codes, which nobody sees again once this is closed. */
export function RecoveryCodes({
  codes,
  username,
  onClose,
}: {
  codes: readonly string[]
  username: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [isKept, setKept] = useState(false)
  const lines = codes.map((code) => (code.match(/.{1,4}/g) ?? []).join('-'))
  const words = lines.join('\n')
  const copyAll = async () => {
    const isCopied = await copy(words)
    if (isCopied) setKept(true)
    showToast({ title: t(isCopied ? 'account.factor.copied' : 'account.factor.copyFailed') })
  }
  const download = () => {
    const file = `${t('account.factor.fileTitle', { username })}\n\n${words}\n`
    saveFile(new Blob([file], { type: 'text/plain' }), t('account.factor.file'))
    setKept(true)
  }
  return (
    <Dialog
      title={t('account.factor.codes')}
      intro={<p>{t('account.factor.codesIntro')}</p>}
      closeLabel={t('account.close')}
      isShownOnce
      onClose={onClose}
    >
      <Codes>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </Codes>
      <DialogActions>
        <Button tone="secondary" onClick={() => void copyAll()}>
          {t('account.factor.copyCodes')}
        </Button>
        <Button tone="secondary" onClick={download}>
          {t('account.factor.download')}
        </Button>
        <Button onClick={onClose}>{t('account.factor.kept')}</Button>
      </DialogActions>
      {!isKept && (
        <UnsavedChanges
          words={{
            title: t('account.factor.unkept'),
            text: t('account.factor.unkeptText'),
            stay: t('account.stay'),
            leave: t('account.factor.leaveUnkept'),
            close: t('account.close'),
          }}
        />
      )}
    </Dialog>
  )
}

/** In two columns where both hold a code in one line: in this font all are equally wide. */
const Codes = styled.ol`
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 11.5em), 1fr));
  gap: ${space(2)} ${space(4)};
  margin-top: ${space(5)};
  padding: ${space(4)} ${space(5)};
  border: 1px solid ${color.line};
  border-radius: ${radius.small};
  background: ${color.ground};
  font-family: ui-monospace, monospace;
  user-select: all;
`
