import { parseSync } from '@swc/core'

/** A file of the repository: its path from the root, with forward slashes, and what is in it. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** A node of swc's tree. Rules look at few fields of few kinds, so each says what it expects where it looks. */
export interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const trees = new WeakMap<SourceFile, readonly Node[]>()

export function isCode(file: SourceFile): boolean {
  return /\.(ts|tsx|mts|mjs)$/.test(file.path)
}

export function isTest(file: SourceFile): boolean {
  return /\.(test|fault|e2e)\.tsx?$/.test(file.path) || /(^|\/)(testing|e2e)\//.test(file.path)
}

/**
 * Every node of a file, parents before children. Reading the tree and not the text is what keeps comments and the
 * rules' own examples from being taken for code.
 * @throws when the file cannot be parsed
 */
export function nodesOf(file: SourceFile): readonly Node[] {
  const known = trees.get(file)
  if (known !== undefined) return known
  const nodes: Node[] = []
  collect(parse(file), nodes)
  trees.set(file, nodes)
  return nodes
}

/** The statements of a file, in order. */
export function statementsOf(file: SourceFile): readonly Node[] {
  return nodesOf(file)[0]?.['body'] as Node[]
}

export interface Import {
  readonly from: string
  /** Nothing of it is left when the types are stripped. */
  readonly typeOnly: boolean
}

/** What a file imports or re-exports, dynamic imports with a literal name included. */
export function importsOf(file: SourceFile): readonly Import[] {
  const imports: Import[] = []
  for (const node of nodesOf(file)) {
    const source = node['source'] as { value: string } | null | undefined
    if (/^(Import|ExportAll|ExportNamed)Declaration$/.test(node.type) && source) {
      imports.push({ from: source.value, typeOnly: node['typeOnly'] === true })
    }
    if (node.type === 'CallExpression' && (node['callee'] as Node).type === 'Import') {
      const argument = (node['arguments'] as { expression: Node }[])[0]?.expression
      if (argument?.type === 'StringLiteral') imports.push({ from: argument['value'] as string, typeOnly: false })
    }
  }
  return imports
}

/** `a.b.c` or `a['b'].c()` as names from the left, or `null` when it starts with something other than a name. */
export function chainOf(node: Node): readonly string[] | null {
  if (node.type === 'Identifier') return [node['value'] as string]
  if (node.type === 'CallExpression') return chainOf(node['callee'] as Node)
  if (node.type !== 'MemberExpression') return null
  const start = chainOf(node['object'] as Node)
  const property = node['property'] as Node
  const name = property.type === 'Computed' ? (property['expression'] as Node)['value'] : property['value']
  return start === null ? null : [...start, String(name)]
}

function parse(file: SourceFile): Node {
  try {
    return parseSync(file.text, { syntax: 'typescript', tsx: file.path.endsWith('x') }) as unknown as Node
  } catch (cause) {
    throw new Error(`${file.path} cannot be parsed`, { cause })
  }
}

function collect(value: unknown, into: Node[]): void {
  if (Array.isArray(value)) {
    for (const element of value) collect(element, into)
  } else if (typeof value === 'object' && value !== null) {
    if (typeof (value as Node).type === 'string') into.push(value as Node)
    for (const field of Object.values(value)) collect(field, into)
  }
}
