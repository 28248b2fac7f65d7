import type { IForbiddenRuleType } from 'dependency-cruiser'

/** Tests, and what is there for tests only. */
export const tests = String.raw`(\.(test|fault|e2e)\.tsx?$)|(/(testing|e2e)/)|^(packages/repository-rules|infra/(faults|access|uploads))/`

/**
 * contracts <- kit <- services, contracts <- web, ui <- features <- pages. Paths are from the root; `$1` is what the
 * first group of `from` matched. Each rule says in its comment what to do instead.
 */
export const boundaryRules: readonly IForbiddenRuleType[] = [
  {
    name: 'contracts-know-nobody',
    comment: 'contracts say what is true between processes: move the shape there, or the code out of there',
    severity: 'error',
    from: { path: '^packages/contracts/' },
    to: { path: '^(packages|services|web|infra)/', pathNot: '^packages/contracts/' },
  },
  {
    name: 'contracts-do-no-io',
    comment: 'contracts are zod values, which a browser loads too',
    severity: 'error',
    from: { path: '^packages/contracts/', pathNot: tests },
    to: { pathNot: ['^packages/contracts/', '(^|/)node_modules/zod/'] },
  },
  {
    name: 'kit-knows-contracts-only',
    comment: 'the kit says how any process runs: what it needs of one service is handed to it',
    severity: 'error',
    from: { path: '^packages/kit/' },
    to: { path: '^(packages|services|web|infra)/', pathNot: '^packages/(kit|contracts)/' },
  },
  {
    name: 'no-service-to-service',
    comment: 'services meet in contracts: publish an event, or ask over the bus',
    severity: 'error',
    from: { path: '^services/([^/]+)/' },
    to: { path: '^services/', pathNot: '^services/$1/' },
  },
  {
    name: 'books-know-the-domain-only',
    comment: 'what is kept of auctions in memory waits for nobody: the owner hands in what it needs',
    severity: 'error',
    from: { path: String.raw`^services/auction/src/(books/|domain\.ts)`, pathNot: tests },
    to: { path: '^services/auction/src/', pathNot: String.raw`^services/auction/src/(books/|domain\.ts)` },
  },
  {
    name: 'owner-knows-nobody-who-asks-it',
    comment: 'commands come to the owner, and who holds what is told it: pass a function in',
    severity: 'error',
    from: { path: '^services/auction/src/(log|live|owner)/', pathNot: tests },
    to: { path: '^services/auction/src/(api|partitions|people)/' },
  },
  {
    name: 'sockets-know-no-requests',
    comment: 'what carries bids stands apart from pages and the proxy: main.ts knows both',
    severity: 'error',
    from: { path: '^services/gateway/src/sockets/', pathNot: tests },
    to: { path: '^services/gateway/src/(pages|proxy)/' },
  },
  {
    name: 'services-stand-on-contracts-and-kit',
    comment: 'web, infra and the rules are above the services',
    severity: 'error',
    from: { path: '^services/' },
    to: { path: '^(web|infra|packages/repository-rules)/' },
  },
  {
    name: 'infra-runs-services-from-outside',
    comment: 'infra starts processes; only benchmarks and fault tests look inside a service',
    severity: 'error',
    from: { path: '^infra/', pathNot: '^infra/(bench|faults)/' },
    to: { path: '^(services|web)/' },
  },
  {
    name: 'web-knows-contracts-only',
    comment: 'the browser knows the contracts, never the kit or a service',
    severity: 'error',
    from: { path: '^web/src/' },
    to: { path: '^(packages|services|infra)/', pathNot: '^packages/contracts/' },
  },
  {
    name: 'no-feature-to-feature',
    comment: 'pages compose features: pass what is needed as a property, or move the shared part to ui or lib',
    severity: 'error',
    from: { path: '^web/src/features/([^/]+)/' },
    to: { path: '^web/src/features/', pathNot: '^web/src/features/$1/' },
  },
  {
    name: 'ui-knows-the-theme-only',
    comment: 'ui is for any feature: pass texts and data in',
    severity: 'error',
    from: { path: '^web/src/ui/', pathNot: tests },
    to: { path: '^web/src/', pathNot: '^web/src/(ui|theme|lib)/' },
  },
  {
    name: 'cards-know-no-feature',
    comment: 'cards are for any feature: pass in what one of them knows',
    severity: 'error',
    from: { path: '^web/src/cards/', pathNot: tests },
    to: {
      path: '^web/src/',
      pathNot: String.raw`^web/src/((cards|ui|lib|theme|contact|session|api|i18n)/|paths\.ts$)`,
    },
  },
  {
    name: 'features-do-not-know-the-map',
    comment: 'routes.tsx knows the features; a feature builds links with paths.ts',
    severity: 'error',
    from: { path: '^web/src/(features|cards|ui|layouts|lib|api|theme)/', pathNot: tests },
    to: { path: String.raw`^web/src/(routes|main)\.tsx$` },
  },
  {
    name: 'testing-helpers-stay-in-tests',
    comment: 'what a test needs must not run in production',
    severity: 'error',
    from: { path: '^(packages|services|web/src)/', pathNot: tests },
    to: { path: String.raw`(^|/)testing/|\.test\.tsx?$`, pathNot: 'node_modules' },
  },
  {
    name: 'no-circles',
    comment: 'two files that need each other are one file, or need a third',
    severity: 'error',
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'everything-resolves',
    comment: 'an import that cannot be followed cannot be judged by the other rules',
    severity: 'error',
    from: {},
    // What k6 brings along is no package.
    to: { couldNotResolve: true, pathNot: '^k6(/|$)' },
  },
]

/** Files that are started or found by their path, so that no import leads to them. */
export const entries: readonly RegExp[] = [
  /^services\/[^/]+\/src\/(main|sandbox\/main|rebuild|dead-letters|reopen|generate)\.ts$/,
  /^web\/src\/(main|prerender)\.tsx$/,
  /^web\/src\/push\/push-worker\.ts$/,
  /^web\/src\/(theme\/before-paint|lib\/early-press)\.js$/,
  /\.config\.ts$/,
  /\.d\.ts$/,
  /\.(test|fault|e2e)\.tsx?$/,
  /^web\/e2e\/[a-z-]+-setup\.ts$/,
  /^web\/src\/testing\/setup\.ts$/,
  /^infra\/local\/((start|seed|seed-products|rebuild|builds\/bundle|mail-catcher\/main)\.ts|with-node24\.mjs|end-with-parent\.mjs)$/,
  /^infra\/test\/(run|boundaries|global-setup)\.ts$/,
  /^infra\/(bench\/(admin|all|auction|catalogue|catch-up|deals|gateway|home|neighbours|scaling)|chaos\/chaos|docker\/(build-web|check|make-secrets|prepare)|icons\/make|screens\/make|tasks\/measure|test\/make-demo-data|load\/run|production\/production|upgrade\/(rolling|upgrade)|backup\/(back-up|restore)-command|fuzz\/main)\.ts$/,
  /^infra\/fuzz\/collect-garbage\.mjs$/,
  /^infra\/faults\/die-around-commit\.ts$/,
  /^infra\/bench\/([a-z-]+-server|request-worker)\.ts$/,
  /^infra\/load\/[a-z-]+\.js$/,
]
