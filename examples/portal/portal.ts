// A portal: users submit jobs from a template, and webhooks of Fairlead report the progress of the jobs.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Configuration, EventResponseFromJSON, JobsApi, ResponseError, TemplatesApi, type TemplateParameterResponse } from './client';

const { FAIRLEAD_URL, FAIRLEAD_TOKEN, FAIRLEAD_PROJECT: project = 'default', WEBHOOK_SECRET = '' } = process.env;
const { PORTAL_TEMPLATE: template = 'hello', PORTAL_PORT: port = '8443', PORTAL_CERT, PORTAL_KEY } = process.env;
const fairlead = new Configuration({ basePath: FAIRLEAD_URL, accessToken: FAIRLEAD_TOKEN });
const [jobs, templates] = [new JobsApi(fairlead), new TemplatesApi(fairlead)];
const secrets = WEBHOOK_SECRET.split(' ').filter(Boolean); // two during a rotation
const [REPLAY_SECONDS, MOST_BYTES] = [300, 1 << 20];
const ENDS: Record<string, string> = { JobSucceeded: 'SUCCEEDED', JobFailed: 'FAILED', JobCancelled: 'CANCELLED' };

// A portal with more than one process keeps both in its database, in one transaction per delivery.
const followed = new Map<string, { name: string; state: string; events: string[] }>();
const seen = new Set<string>();
class Refusal extends Error {
  constructor(readonly status: number, message: string) { super(message); }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  let body = Buffer.alloc(0);
  for await (const chunk of request) {
    body = Buffer.concat([body, chunk]);
    if (body.length > MOST_BYTES) throw new Refusal(413, 'the body is larger than 1 MiB');
  }
  return body;
}

/** The id of the delivery. The signature covers the bytes of the body as they arrived, before any parser. */
function verified(request: IncomingMessage, body: Buffer): string {
  const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) => String(request.headers[`webhook-${name}`] ?? ''));
  const recent = /^\d{1,12}$/.test(sent) && Math.abs(Date.now() / 1000 - Number(sent)) <= REPLAY_SECONDS;
  if (!recent) throw new Refusal(401, 'webhook-timestamp is missing or not within five minutes of the present time');
  const given = signatures.split(' ').map((each) => Buffer.from(each));
  const genuine = secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${sent}.`).update(body).digest('base64')}`);
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
  if (!genuine) throw new Refusal(401, 'webhook-signature matches no secret of this webhook');
  return id;
}

/** Fairlead delivers at least once, so an id that was seen changes nothing. */
async function delivered(request: IncomingMessage): Promise<void> {
  const body = await read(request);
  const id = verified(request, body);
  if (seen.has(id)) return;
  const { type, subject, job } = EventResponseFromJSON(JSON.parse(body.toString()));
  seen.add(id);
  if (subject.type !== 'job') return;
  const row = follow(subject.id, job?.name ?? subject.id);
  row.events.push(type);
  row.state = ENDS[type] ?? row.state;
}

function follow(id: string, name: string) {
  const job = followed.get(id) ?? { name, state: 'open', events: [] };
  followed.set(id, job); // the first event of a job may arrive before the response to its submit
  return job;
}

function typed({ type, name }: TemplateParameterResponse, text: string): unknown {
  if (type === 'BOOLEAN') return text === 'true';
  if (type !== 'INTEGER' && type !== 'NUMBER') return text;
  if (text.trim() === '' || !Number.isFinite(Number(text))) throw new Refusal(422, `${name} is not a number`);
  return Number(text);
}

async function submitted(request: IncomingMessage): Promise<void> {
  const site = request.headers['sec-fetch-site'] ?? 'same-origin';
  if (site !== 'same-origin') throw new Refusal(403, 'only the form of this page submits jobs');
  const form = new URLSearchParams((await read(request)).toString());
  const { parameters } = await templates.getTemplate({ template, project });
  const filled = parameters.filter(({ name }) => form.get(name));
  const values = Object.fromEntries(filled.map((each) => [each.name, typed(each, form.get(each.name) ?? '')]));
  const submitJobRequest = { template: { name: template, parameters: values } };
  const job = await jobs.submitJob({ project, idempotencyKey: form.get('key') ?? undefined, submitJobRequest });
  follow(job.id, job.name);
}

const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

async function page(): Promise<string> {
  const { parameters, description } = await templates.getTemplate({ template, project });
  const field = (name: string, required: boolean) => `<label>${name} <input name="${name}"${required ? ' required' : ''}></label>`;
  const fields = parameters.map(({ name, required }) => field(escaped(name), required));
  const rows = [...followed.values()].map((job) => `<tr><td>${[job.name, job.state, job.events.join(', ')].map(escaped).join('<td>')}`);
  return `<!doctype html><meta charset="utf-8"><title>Jobs</title><h1>${escaped(description || template)}</h1>
<form method="post" action="/jobs"><input type="hidden" name="key" value="${randomUUID()}">${fields.join('')}<button>Submit</button></form>
<table><tr><th>Job<th>State<th>Events${rows.join('')}</table>`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const call = `${request.method} ${request.url}`;
  const content = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" };
  if (call === 'POST /fairlead') await delivered(request).then(() => response.writeHead(204).end());
  else if (call === 'POST /jobs') await submitted(request).then(() => response.writeHead(303, { location: '/' }).end());
  else if (call === 'GET /') await page().then((text) => response.writeHead(200, content).end(text));
  else throw new Refusal(404, 'not found');
}

async function refuse(error: unknown, response: ServerResponse): Promise<void> {
  const refused = error instanceof ResponseError ? error.response : null;
  const status = refused?.status ?? (error instanceof Refusal ? error.status : 500);
  const detail = refused ? (await refused.json()).detail : error instanceof Refusal ? error.message : 'internal error';
  if (status === 500) console.error(error);
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${detail}\n`);
}

if (!FAIRLEAD_URL || !PORTAL_CERT || !PORTAL_KEY || !secrets.length) {
  console.error('Set FAIRLEAD_URL, WEBHOOK_SECRET, PORTAL_CERT and PORTAL_KEY.');
  process.exit(2);
}
createServer({ cert: readFileSync(PORTAL_CERT), key: readFileSync(PORTAL_KEY) }, (request, response) => {
  answer(request, response).catch((error: unknown) => refuse(error, response));
}).listen(Number(port), () => console.log(`portal at port ${port}`));
