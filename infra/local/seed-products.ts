// npm run seed -- --products 100000
import { parseArgs } from 'node:util'
import { runServiceCommand } from './service-command.ts'

/** Fills the catalogue with very many made-up bottles. */
const { values: flags } = parseArgs({ options: { products: { type: 'string', default: '100000' } } })
const args = ['--products', flags.products]
process.exit(await runServiceCommand({ service: 'catalogue', script: 'generate.ts', args, beginsWithNothing: true }))
