import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validate as isDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as isAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler'
import { validate as isJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job'
import { validate as isNamespace } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Namespace'
import { validate as isService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as isIngress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress'
import { validate as isNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as isDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSecrets } from '../docker/secrets.ts'
import { readComposeFile } from '../docker/testing/compose-file.ts'
import { readServiceConfig } from '../docker/testing/service-config.ts'
import { databaseServices } from '../local/services.ts'
import { type Manifest, readManifests, readYaml } from './testing/manifests.ts'

type Schema = ((data: unknown) => boolean) & { errors?: readonly { instancePath: string; params: object }[] | null }

const schemas: Readonly<Record<string, Schema>> = {
  'apps/v1 Deployment': isDeployment,
  'autoscaling/v2 HorizontalPodAutoscaler': isAutoscaler,
  'batch/v1 Job': isJob,
  'networking.k8s.io/v1 Ingress': isIngress,
  'networking.k8s.io/v1 NetworkPolicy': isNetworkPolicy,
  'policy/v1 PodDisruptionBudget': isDisruptionBudget,
  'v1 Namespace': isNamespace,
  'v1 Service': isService,
}
const { manifests, environment } = readManifests()
const all = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
const deployments = all('Deployment').map((manifest): [string, Manifest] => [manifest.metadata.name, manifest])

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wangian-k8s-'))
  makeSecrets(join(directory, 'secrets'), 'localhost')
})
afterAll(() => rmSync(directory, { recursive: true }))

/** What the cluster's own schema says against it, fields that it does not know among that. */
function problemsOf(manifest: Manifest): string[] {
  const schema = schemas[`${manifest.apiVersion} ${manifest.kind}`]
  if (schema === undefined) return [`there is no ${manifest.kind} of ${manifest.apiVersion}`]
  const unknown = new Map<string, Set<string>>()
  // A schema looks at each field that it knows, and at no other.
  if (!schema(watched(manifest, '', unknown))) {
    return (schema.errors ?? []).map(({ instancePath, params }) => `${instancePath}: ${JSON.stringify(params)}`)
  }
  return [...unknown].flatMap(([path, names]) => [...names].map((name) => `${path}/${name} is unknown`))
}

function watched<Value extends object>(value: Value, path: string, unseen: Map<string, Set<string>>): Value {
  unseen.set(path, new Set(Object.keys(value)))
  return new Proxy(value, {
    get(target, name) {
      const inside = Reflect.get(target, name)
      if (typeof name === 'string') unseen.get(path)?.delete(name)
      const below = `${path}/${String(name)}`
      return typeof inside === 'object' && inside !== null ? watched(inside, below, unseen) : inside
    },
  })
}

describe('the manifests', () => {
  it.each(manifests.map((manifest): [string, string, Manifest] => [manifest.kind, manifest.metadata.name, manifest]))(
    '%s %s are as the schema of Kubernetes has them',
    (_kind, _name, manifest) => {
      expect(problemsOf(manifest)).toEqual([])
    },
  )

  it('are refused by it with a field that it does not know, or of another type', () => {
    const [, deployment] = deployments[0] ?? []
    const { spec, ...others } = deployment as Manifest
    expect(problemsOf({ ...others, spec: { ...spec, replica: 3 } })).toEqual(['/spec/replica is unknown'])
    expect(problemsOf({ ...others, spec: { ...spec, replicas: 'three' } })).toEqual([
      expect.stringContaining('/spec/replicas: {"type":"integer"'),
    ])
  })

  it('run what docker-compose.yml runs', () => {
    const commands = deployments.map(([name, { spec }]) => [name, spec.template.spec.containers[0].args])
    const composed = [...readComposeFile()].map(([name, { command }]): [string, unknown] => [name, command])
    const services = composed.filter(([, command]) => String(command).startsWith('services/'))
    expect(Object.fromEntries(commands)).toEqual(Object.fromEntries(services))
  })
})

describe('a service in the cluster', () => {
  it.each(deployments)('%s is told all that it demands, by secrets that are its own', (_name, { spec }) => {
    const { containers, volumes } = spec.template.spec
    const [{ args, env = [] }] = containers
    const { secretName } = volumes.find(({ name }: { name: string }) => name === 'secrets').secret
    const own = Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]))
    const placed = Object.entries({ ...environment, INSTANCE_ID: 'pod-1', ...own }).map(([name, value]) => [
      name,
      String(value).replace('/run/secrets', join(directory, 'secrets', secretName)),
    ])
    expect(readServiceConfig(args[0], Object.fromEntries(placed)).problems).toBe('')
  })

  it.each([...deployments, ...all('Job').map((job): [string, Manifest] => [job.metadata.name, job])])(
    '%s may do nothing beyond its work',
    (_name, { spec }) => {
      const { securityContext, containers, automountServiceAccountToken } = spec.template.spec
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
      expect(automountServiceAccountToken).toBe(false)
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.resources.limits).toBeDefined()
      }
    },
  )

  it.each(deployments)('%s is watched, and replaced without a gap', (name, { spec }) => {
    const [{ startupProbe, readinessProbe, livenessProbe }] = spec.template.spec.containers
    const paths = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path)
    expect(paths).toEqual(['/livez', '/readyz', '/livez'])
    const port = name === 'gateway' ? environment['METRICS_PORT'] : '8080'
    expect(spec.template.metadata.annotations).toEqual({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': port })
    expect(spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 })
  })

  it.each(deployments)('%s has an alert before its memory ends', (_name, { spec }) => {
    const [, alertBytes] =
      /process_resident_memory_bytes > ([\d.e]+)/.exec(JSON.stringify(readYaml('../observability/alerts.yml'))) ?? []
    const [{ resources }] = spec.template.spec.containers
    expect(resources.limits.memory).toBe('1Gi')
    expect(Number(alertBytes)).toBeLessThan(0.8 * 1024 ** 3)
  })

  it.each(deployments)('%s is there twice at least, and taken away one at a time', (name, { spec }) => {
    const scaler = all('HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === name)
    expect(scaler?.spec.minReplicas ?? spec.replicas).toBeGreaterThanOrEqual(2)
    const budget = all('PodDisruptionBudget').find(({ metadata }) => metadata.name === name)
    expect(budget?.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } })
  })

  it('is found by a name that leads to all its copies, the gateways by one address for the ingress', () => {
    const single = all('Service').filter(({ spec }) => spec.clusterIP !== 'None')
    expect(single.map(({ metadata }) => metadata.name)).toEqual(['gateway'])
    // Behind such a name nobody changes the port.
    for (const [, { spec }] of deployments) {
      expect(spec.template.spec.containers[0].ports).toContainEqual({ name: 'http', containerPort: 8080 })
    }
  })

  it('is found by the address that others are told, the owners of auctions by none', () => {
    const hosts = Object.entries(environment).filter(([, value]) => value.endsWith(':8080'))
    const told = hosts.map(([, value]) => new URL(value).hostname)
    expect(
      all('Service')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual([...told, 'gateway'].sort())
    for (const { metadata, spec } of all('Service')) expect(spec.selector).toEqual(labelsOf(metadata.name))
  })
})

describe('owners and gateways', () => {
  it('follow a metric of their own that the adapter has, and keep two at least', () => {
    const adapter = JSON.stringify(readYaml('metrics-adapter.yaml'))
    for (const { metadata, spec } of all('HorizontalPodAutoscaler')) {
      expect(spec.scaleTargetRef.name).toBe(metadata.name)
      expect(spec.minReplicas).toBeGreaterThanOrEqual(2)
      expect(adapter).toContain(`"as":"${spec.metrics[0].pods.metric.name}"`)
      // What scales itself must not be set back by each apply.
      expect(Object.fromEntries(deployments)[metadata.name]?.spec).not.toHaveProperty('replicas')
    }
    expect(all('HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)).toEqual(['auction', 'gateway'])
  })
})

describe('the preparation in the cluster', () => {
  it('sees the database address of every service, where it looks for it', () => {
    const [job] = all('Job')
    const [{ projected }] = job?.spec.template.spec.volumes ?? [{}]
    const paths = projected.sources.flatMap(({ secret }: { secret: { items: { path: string }[] } }) =>
      secret.items.map(({ path }) => path),
    )
    expect(paths).toEqual(expect.arrayContaining(databaseServices.map((name) => `${name}/database-url`)))
  })
})

function labelsOf(name: string) {
  return { 'app.kubernetes.io/name': name }
}
