import { useEffect, useState } from 'react'

/** An address under which a file can be shown; `null` for none, and until it is made. */
export function useObjectUrl(file: File | null): string | null {
  const [made, setMade] = useState<{ file: File; address: string } | null>(null)
  useEffect(() => {
    if (!file) return
    const address = URL.createObjectURL(file)
    setMade({ file, address })
    return () => URL.revokeObjectURL(address)
  }, [file])
  return made && made.file === file ? made.address : null
}
