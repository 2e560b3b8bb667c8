/** Sessions: notebooks and other programs on GPUs, the warm pools they are taken from, and their actions. */
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { chooseAction } from "./action.js";
import { get } from "./api.js";
import { ask } from "./dialog.js";
import { between, duration, gpus, time } from "./format.js";
import { badge, ENDED, freshness, heading, jobLink, loading, Part, Ticker } from "./parts.js";
import { caller, EVERY_MS } from "./permissions.js";
import { Query } from "./query.js";

const LABEL = "session";
/** Session types that Fairlead ships; the label of a session has its type. */
const TYPES = ["jupyter", "code-server", "ssh"];
const MOST_PROJECTS = 20;
const OPERATIONS = ["submitJob", "createSessionLink", "patchJob", "suspendJob", "resumeJob"];
const PAGE = 100;
/** An older report leaves the activity unknown. */
const FRESH_MS = 120_000;
const UNITS = /** @type {Record<string, number>} */ ({ d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 });

/** @param {string} text such as 1h30m @returns {number} milliseconds */
const millis = (text) =>
  [...text.matchAll(/(\d+)([dhms])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit], 0);

/** When the time limit ends a session, null if there is no limit and before its start. @param {Api.Schemas["JobResponse"]} job */
function ends({ spec, startedAt }) {
  const most = spec?.maxRuntime;
  return most && startedAt ? new Date(Date.parse(startedAt) + millis(most)) : null;
}

/** The idle time and the time after which the session is suspended. @param {Api.Schemas["JobResponse"]} job */
function idle({ state, spec, progress, createdAt }) {
  if (state !== "RUNNING") return "–";
  if (spec?.progress?.onTimeout !== "SUSPEND") return "no limit";
  const age = progress ? Date.now() - Date.parse(progress.reportedAt) : Infinity;
  const known = progress?.metrics.idle_seconds;
  if (known === undefined || age > FRESH_MS) return `unknown, of ${spec.progress.timeout}`;
  const least = Math.min(known * 1000 + age, Date.now() - Date.parse(createdAt));
  return `${duration(least)} of ${spec.progress.timeout}`;
}

/** @param {Api.Schemas["JobResponse"]} job @param {string} action */
const allows = (job, action) => job.actions.some(({ name, allowed }) => name === action && allowed);

/**
 * Buttons that only the job of a session has. `may` is the answer of the API to operations.
 *
 * @param {Part} page that holds a fl-action
 * @param {Api.Schemas["JobResponse"]} job
 * @param {(operation: string) => boolean} may
 * @param {() => void} done
 */
export function sessionButtons(page, job, may, done) {
  if (job.labels?.[LABEL] === undefined) return nothing;
  const open = job.state === "RUNNING" && job.labels?.[LABEL] !== "ssh" && may("createSessionLink");
  const extend = job.state === "RUNNING" && job.spec?.maxRuntime && may("patchJob");
  return html`
    ${open ? html`<button type="button" data-act="open" @click=${() => enter(page, job)}>Open</button>` : nothing}
    ${extend ? html`<button type="button" data-act="extend" @click=${() => longer(page, job, done)}>Extend</button>` : nothing}
  `;
}

/** @param {Part} page @param {Api.Schemas["JobResponse"]} job */
function enter(page, job) {
  ask(page, {
    title: "Open",
    subject: "session",
    name: job.name,
    effect: "Its page opens in a new tab.",
    call: () => ({ path: `/jobs/${job.id}/session-links` }),
    reasons: false,
    plan: ({ expiresAt }) => html`<li>A link for you alone, valid until ${time(expiresAt)}</li>
      <li>The opening is recorded in the audit log</li>`,
    done: ({ url }) => globalThis.open(url, "_blank", "noopener"),
  });
}

/** @param {Part} page @param {Api.Schemas["JobResponse"]} job @param {() => void} done */
function longer(page, job, done) {
  ask(page, {
    title: "Extend",
    subject: "session",
    name: job.name,
    effect: `It ends ${job.spec.maxRuntime} after its start. The program continues.`,
    fields: [{ name: "maxRuntime", label: "Time limit from its start, such as 16h", value: job.spec.maxRuntime }],
    call: (body) => ({ method: "PATCH", path: `/jobs/${job.id}`, body }),
    plan: (answer) => html`<li>Time limit ${job.spec.maxRuntime} → ${answer.spec.maxRuntime}</li>
      <li>It ends at ${time(ends(answer)?.toISOString())}</li>`,
    done,
  });
}

class Sessions extends Part {
  static properties = { params: { attribute: false }, me: { attribute: false } };

  constructor() {
    super();
    this.params = new URLSearchParams();
    /** @type {Api.Schemas["MeResponse"] | null} */
    this.me = null;
    new Ticker(this);
    this.projects = new Query(this, async (signal) => (await get("/projects", {}, signal)).items, { every: 60_000 });
    this.sessions = new Query(this, (signal) => this.#read(signal), { every: 5_000 });
    this.pools = new Query(this, (signal) => this.#pools(signal), { every: 5_000 });
    this.allowed = new Query(this, (signal) => this.#allowed(signal), { every: EVERY_MS });
  }

  /** The allowed operations by project. @param {AbortSignal} signal @returns {Promise<Record<string, Record<string, string>>>} */
  async #allowed(signal) {
    const projects = (await get("/projects", {}, signal)).items.map(({ name }) => name).slice(0, MOST_PROJECTS);
    const answers = await Promise.all(projects.map((project) => caller({ project, operationId: OPERATIONS }, signal)));
    return Object.fromEntries(projects.map((project, i) => [project, answers[i].allowed ?? {}]));
  }

  /** @param {string} operation @param {string} project @param {string} [user] of the job */
  #may(operation, project, user = this.me.user) {
    const allowed = this.allowed.value?.[project]?.[operation];
    return allowed === "yes" || (allowed === "own" && user === this.me.user);
  }

  /** The newest sessions of each type that have not ended. @param {AbortSignal} signal */
  async #read(signal) {
    const user = this.params.get("mine") === "true" ? this.me.user : null;
    const lists = await Promise.all(
      TYPES.map((type) => get("/jobs", { label: `${LABEL}=${type}`, user, view: "FULL", pageSize: PAGE }, signal)),
    );
    const items = lists.flatMap((list) => list.items).filter(({ state }) => !ENDED.includes(state));
    return items.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }

  /** @param {AbortSignal} signal */
  async #pools(signal) {
    const projects = (await get("/projects", {}, signal)).items.map(({ name }) => name);
    const lists = await Promise.all(
      projects.slice(0, MOST_PROJECTS).map((name) => get(`/projects/${encodeURIComponent(name)}/warm-pools`, {}, signal)),
    );
    return lists.flatMap((list) => list.items).filter(({ ray }) => !ray);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const before = changed.get("params");
    if (before && this.hasUpdated && String(before) !== String(this.params)) this.sessions.restart();
  }

  render() {
    const mine = this.params.get("mine") === "true";
    const whose = (value, text) => html`<button
      type="button"
      aria-pressed=${mine === value}
      @click=${() => (location.hash = `#/sessions${value ? "?mine=true" : ""}`)}
    >
      ${text}
    </button>`;
    return html`
      <div class="title">
        <h1>Sessions</h1>
        <div class="group" role="group" aria-label="Whose sessions">${whose(false, "All")}${whose(true, "Mine")}</div>
        <span class="actions">
          ${this.projects.value?.some(({ name }) => this.#may("submitJob", name))
            ? html`<button type="button" data-act="start" @click=${() => this.#start()}>Start a session</button>`
            : nothing}
        </span>
      </div>
      ${freshness(this.sessions, "The list of sessions")} ${loading(this.sessions)}
      ${this.sessions.value ? this.#list(this.sessions.value) : nothing}
      ${freshness(this.pools, "The list of warm pools")} ${this.pools.value?.length ? this.#warm(this.pools.value) : nothing}
      <fl-action></fl-action>
    `;
  }

  /** @param {Api.Schemas["JobResponse"][]} sessions */
  #list(sessions) {
    const call = { path: "/jobs", params: { label: `${LABEL}=${TYPES[0]}`, view: "FULL" } };
    const count = html`<span class="count">${sessions.length}</span>`;
    return html`
      <section>
        ${heading("Sessions", call, "fairlead notebook list", count)}
        ${sessions.length
          ? html`<div class="scroll">
              <table class="capacity">
                <caption class="hidden">Sessions that have not ended</caption>
                <thead>
                  <tr>
                    <th scope="col">State</th>
                    <th scope="col">Name</th>
                    <th scope="col">Type</th>
                    <th scope="col">Project</th>
                    <th scope="col">User</th>
                    <th scope="col" class="number">GPUs</th>
                    <th scope="col">Idle</th>
                    <th scope="col">Ends</th>
                    <th scope="col">Actions</th>
                  </tr>
                </thead>
                <tbody>
                  ${repeat(sessions, (job) => job.id, (job) => this.#row(job))}
                </tbody>
              </table>
            </div>`
          : html`<p class="quiet">No session exists.</p>`}
      </section>
    `;
  }

  /** @param {Api.Schemas["JobResponse"]} job */
  #row(job) {
    const again = () => this.sessions.refresh(true);
    const may = (operation) => this.#may(operation, job.project, job.user);
    const plain = (action, title) =>
      allows(job, action) && may(`${action}Job`)
        ? html`<button type="button" data-act=${action} @click=${() => chooseAction(this, job, action, again)}>${title}</button>`
        : nothing;
    const end = ends(job);
    return html`<tr data-row>
      <td>${badge(job.state)}</td>
      <td>${jobLink(job)}</td>
      <td>${job.labels[LABEL]}</td>
      <td>${job.project}</td>
      <td>${job.user}</td>
      <td class="number">${gpus(job.gpus)}</td>
      <td>${idle(job)}</td>
      <td>${end ? html`in ${between(new Date().toISOString(), end.toISOString())}` : "–"}</td>
      <td class="acts">
        ${sessionButtons(this, job, may, again)} ${plain("resume", "Resume")} ${plain("suspend", "Suspend")}
      </td>
    </tr>`;
  }

  /** @param {Api.Schemas["WarmPoolResponse"][]} pools */
  #warm(pools) {
    const path = `/projects/${encodeURIComponent(pools[0].project)}/warm-pools`;
    return html`
      <section>
        ${heading("Warm pools", { path }, "fairlead project warm-pool list", html`<span class="count">${pools.length}</span>`)}
        <div class="scroll">
          <table class="capacity">
            <caption class="hidden">Warm pools, from which a session starts within seconds</caption>
            <thead>
              <tr>
                <th scope="col">Pool</th>
                <th scope="col">Project</th>
                <th scope="col">Type</th>
                <th scope="col">Image</th>
                <th scope="col">GPUs</th>
                <th scope="col" class="number">Ready</th>
                <th scope="col">Reason</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              ${repeat(pools, ({ project, name }) => `${project}/${name}`, (pool) => this.#pool(pool))}
            </tbody>
          </table>
        </div>
      </section>
    `;
  }

  /** @param {Api.Schemas["WarmPoolResponse"]} pool */
  #pool(pool) {
    const { launcher, image, gpu } = /** @type {Record<string, unknown>} */ (pool.job);
    return html`<tr>
      <td>${pool.name}</td>
      <td>${pool.project}</td>
      <td>${launcher}</td>
      <td dir="auto">${image}</td>
      <td>${typeof gpu === "object" ? JSON.stringify(gpu) : gpu}</td>
      <td class="number">${pool.ready} of ${pool.members}</td>
      <td class="why" dir="auto">${pool.deleting ? "It is being deleted." : pool.reason}</td>
      <td class="acts">
        ${!pool.deleting && this.#may("submitJob", pool.project)
          ? html`<button type="button" data-act="take" @click=${() => this.#take(pool)}>Start</button>`
          : nothing}
      </td>
    </tr>`;
  }

  /** A session with the job of the pool, so that it takes a member. @param {Api.Schemas["WarmPoolResponse"]} pool */
  #take(pool) {
    this.#submit({
      name: `a session of ${pool.name}`,
      effect: `It takes one of ${pool.ready} running sessions of the warm pool, or starts as a job.`,
      fields: [NAME, LIMIT],
      call: (values) => this.#call(pool.project, { ...pool.job, ...values }),
    });
  }

  #start() {
    const projects = this.projects.value.map(({ name }) => name).filter((name) => this.#may("submitJob", name));
    this.#submit({
      name: "a session",
      effect: "It takes a running session of a warm pool with the same job, or starts as a job.",
      fields: [
        { name: "project", label: "Project", options: projects },
        NAME,
        { name: "launcher", label: "Type", options: TYPES },
        { name: "image", label: "Image, with the program and python3" },
        { name: "gpu", label: "GPUs, such as H100:1", optional: true },
        { name: "idle", label: "Idle time after which it is suspended", value: "2h", optional: true },
        LIMIT,
      ],
      call: ({ project = projects[0], idle: timeout, ...job }) =>
        this.#call(project, { ...job, ...(timeout && { progress: { timeout, onTimeout: "SUSPEND" } }) }),
    });
  }

  /** @param {string} project @param {Record<string, unknown>} job */
  #call(project, job) {
    const body = { ...job, labels: { .../** @type {object} */ (job.labels ?? {}), [LABEL]: String(job.launcher ?? TYPES[0]) } };
    return { path: `/projects/${encodeURIComponent(project)}/jobs`, body };
  }

  /** @param {Pick<import("./dialog.js").Act, "name" | "effect" | "fields" | "call">} act */
  #submit(act) {
    ask(this, {
      title: "Start",
      subject: "session",
      ...act,
      plan: (job) => html`
        <li>${job.state === "RUNNING" ? "A running session of a warm pool becomes yours." : "It waits for GPUs and starts as a job."}</li>
        <li>${gpus(job.gpus)} GPUs in the queue ${job.queue} of project ${job.project}</li>
        ${job.warnings?.map((/** @type {string} */ warning) => html`<li>${warning}</li>`)}
      `,
      done: () => (this.sessions.refresh(true), this.pools.refresh(true)),
    });
  }
}
customElements.define("fl-sessions", Sessions);

const NAME = { name: "name", label: "Name, a DNS label" };
const LIMIT = { name: "maxRuntime", label: "Time limit, such as 12h", value: "12h" };
