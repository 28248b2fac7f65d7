import { loadSecretsConfig } from './config.ts'
import { makeSecrets } from './secrets.ts'

const { secretsDir, publicUrl } = loadSecretsConfig()
const made = makeSecrets(secretsDir, new URL(publicUrl).hostname)
console.log(made.length === 0 ? 'All secrets were there.' : `Made ${made.join(', ')}.`)
