import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inheritedEnvironment, repositoryRoot } from '../local/config.ts'

/** Fills the catalogue by its own command, as an operator would run it. */
export async function generateProducts(databaseUrl: string, natsUrl: string, products: number): Promise<void> {
  const startedAtMs = performance.now()
  const child = spawn(
    process.execPath,
    [join(repositoryRoot, 'services/catalogue/src/generate.ts'), '--products', String(products)],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        NODE_ENV: 'development',
        ...inheritedEnvironment(),
        DATABASE_URL: databaseUrl,
        NATS_URL: natsUrl,
        INSTANCE_ID: 'generate',
        SERVICE_HOST: '127.0.0.1',
        SERVICE_PORT: '1',
        IDENTITY_URL: 'http://127.0.0.1:1',
      },
    },
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the generator ended with ${code}`)
  console.log(`${products} products in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
}
