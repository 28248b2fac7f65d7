import { startSystem } from '../local/system.ts'

/** Fills a data directory with the demo, as a start of the system does, for systems that begin with a copy of it. */
const [dataDir] = process.argv.slice(2)
if (dataDir === undefined) throw new Error('Usage: make-demo-data.ts <data directory>')
const system = await startSystem({ dataDir, seed: 'demo', buildsWeb: false, log: (_, line) => console.log(line) })
await system.stop()
