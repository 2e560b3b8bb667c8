/** One job: why it waits or failed, where it runs, what happened, its output, its cost. */
import { html, nothing } from "lit";
import { chooseAction, shownActions } from "./action.js";
import { get } from "./api.js";
import { amount, between, gpus, time, words } from "./format.js";
import { elapsed } from "./jobs.js";
import "./logs.js";
import { sessionButtons } from "./notebooks.js";
import { badge, bar, ENDED, facts, freshness, heading, loading, numbers, Part, Ticker } from "./parts.js";
import { permissions } from "./permissions.js";
import { Query } from "./query.js";
import { reasons } from "./reasons.js";
import { EventStream } from "./stream.js";

const HISTORY = 200;

class JobPage extends Part {
  static properties = { job: {}, params: { attribute: false } };

  constructor() {
    super();
    this.job = "";
    this.params = new URLSearchParams();
    this.stream = null;
    new Ticker(this);
    this.project = "";
    this.main = new Query(this, (signal) => this.#read(signal), { every: 15_000 });
    this.why = new Query(this, (signal) => get(`/jobs/${this.job}/explanation`, {}, signal), { every: 10_000 });
    this.attempts = new Query(this, (signal) => this.#attempts(signal), { every: 30_000, pause: 3_000 });
    this.timeline = new Query(this, (signal) => this.#timeline(signal), { every: 60_000 });
    this.events = new Query(this, (signal) => this.#events(signal));
    this.allowed = permissions(this, ["createSessionLink", "patchJob"], () => this.project || null);
    this.queries = [this.main, this.why, this.attempts, this.timeline, this.events];
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const job = await get(`/jobs/${this.job}`, {}, signal);
    if (job.project !== this.project) {
      this.project = job.project;
      this.allowed.restart();
    }
    return job;
  }

  /** The newest attempts: of a job with very many, the API lists the oldest first. @param {AbortSignal} signal */
  async #attempts(signal) {
    const items = [];
    /** @type {string | null | undefined} */
    let pageToken = null;
    do {
      const page = await get(`/jobs/${this.job}/attempts`, { pageSize: HISTORY, pageToken }, signal);
      items.push(...page.items);
      pageToken = page.nextPageToken;
    } while (pageToken && items.length < 5 * HISTORY);
    return { items: items.reverse(), cut: pageToken !== null };
  }

  /** @param {AbortSignal} signal */
  async #timeline(signal) {
    const { items, nextPageToken } = await get(`/jobs/${this.job}/timeline`, { pageSize: HISTORY }, signal);
    return { items, cut: nextPageToken !== null };
  }

  /** The raw events, read only while the list is open. @param {AbortSignal} signal */
  async #events(signal) {
    const list = /** @type {HTMLDetailsElement | null} */ (this.querySelector(".events"));
    if (!list?.open) return [];
    return (await get(`/jobs/${this.job}/events`, { pageSize: HISTORY }, signal)).items;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#follow();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.stream?.close();
    this.#tell(null);
  }

  willUpdate(changed) {
    if (!changed.has("job") || !this.hasUpdated) return;
    this.queries.forEach((query) => query.restart());
    this.#follow();
  }

  #follow() {
    this.stream?.close();
    const again = () => this.queries.forEach((query) => query.refresh());
    const change = () => this.#tell(this.stream);
    this.stream = new EventStream({ job: this.job }, { event: again, gap: again, change });
    this.#tell(this.stream);
  }

  #tell(stream) {
    this.dispatchEvent(new CustomEvent("fl-stream", { bubbles: true, detail: stream }));
  }

  render() {
    const job = this.main.value;
    if (!job) return html`${freshness(this.main, "The job")} ${loading(this.main)}`;
    document.title = `${job.name} · Fairlead`;
    return html`
      <div class="title">
        <h1 dir="auto">${job.name}</h1>
        ${badge(job.state)}
        <span class="quiet">${elapsed(job)}</span>
        <span class="actions">
          ${sessionButtons(this, job, this.allowed.may, () => this.main.refresh(true))}
          ${shownActions(job, (action) => this.#act(action))}
        </span>
      </div>
      <p class="id"><code>${job.id}</code><fl-call
          .call=${{ path: `/jobs/${job.id}` }}
          .cli=${`fairlead get ${job.id}`}
        ></fl-call>
      </p>
      ${freshness(this.main, "The job")} ${phases(job, this.attempts.value?.items[0])}
      ${progress(job.progress)}
      <div class="columns">
        <div>
          ${reasons(job, this.why)} ${this.#members(job)} ${this.#output(job)} ${this.#attemptList()}
          ${this.#history()}
        </div>
        <aside>${summary(job)} ${cost(job)} ${conditions(job)} ${specification(job)}</aside>
      </div>
      <fl-action></fl-action>
    `;
  }

  #act(action) {
    chooseAction(this, this.main.value, action, (job) => {
      if (!job) {
        location.hash = "#/jobs";
        return;
      }
      this.main.value = { ...this.main.value, ...job };
      this.queries.forEach((query) => query.refresh());
    });
  }

  /** The attempt whose members and output are shown: the one of the address, or the newest. */
  #chosen() {
    const items = this.attempts.value?.items ?? [];
    const id = this.params.get("attempt");
    return items.find((attempt) => attempt.id === id) ?? items[0];
  }

  /** @param {Api.Schemas["JobResponse"]} job */
  #members(job) {
    const attempt = this.#chosen();
    if (!attempt) return freshness(this.attempts, "The members");
    const element = job.array ? `, element ${attempt.element}` : "";
    const params = { attempt: attempt.number, ...(job.array && { element: attempt.element }) };
    return html`
      <section class="card">
        ${heading(
          `Members of attempt ${attempt.number}${element}`,
          { path: `/jobs/${job.id}/members`, params },
          `fairlead get ${job.id} -o json`,
          html`<span class="count">${attempt.members.length}</span>${badge(attempt.state)}`,
        )}
        ${freshness(this.attempts, "The members")}
        ${inPlace(job)}
        ${attempt.message ? html`<p>${attempt.cause ? html`<b>${attempt.cause}</b> ` : nothing}${attempt.message}</p>` : nothing}
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Member</th>
                <th scope="col">State</th>
                <th scope="col">Node</th>
                <th scope="col">GPUs</th>
                <th scope="col" class="number">Time</th>
                <th scope="col" class="number">Exit code</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              ${parts(job, attempt.members).map(
                ({ part, members }) => html`
                  ${part ? html`<tr><th scope="rowgroup" colspan="7">${part} <span class="count">${members.length}</span></th></tr>` : nothing}
                  ${members.map((member) => memberRow(attempt, member))}
                `,
              )}
            </tbody>
          </table>
        </div>
      </section>
    `;
  }

  /** @param {Api.Schemas["JobResponse"]} job */
  #output(job) {
    const attempt = this.#chosen();
    if (!attempt?.members.length) return nothing;
    return html`<fl-logs .job=${job.id} .array=${job.array !== null} .attempt=${attempt} .url=${job.logsUrl}></fl-logs>`;
  }

  #attemptList() {
    const { items, cut } = this.attempts.value ?? { items: [], cut: false };
    if (items.length < 2) return nothing;
    /** @param {Api.Schemas["AttemptResponse"]} attempt */
    const link = (attempt) => `#/jobs/${this.job}?attempt=${attempt.id}`;
    /** @param {Api.Schemas["AttemptResponse"]} attempt */
    const name = (attempt) => `${attempt.number}${attempt.element ? ` (element ${attempt.element})` : ""}`;
    return html`
      <section class="card">
        ${heading("Attempts", { path: `/jobs/${this.job}/attempts` }, "", html`<span class="count">${items.length}${cut ? "+" : ""}</span>`)}
        <div class="scroll bounded">
          <table>
            <thead>
              <tr>
                <th scope="col">Attempt</th>
                <th scope="col">State</th>
                <th scope="col">Cluster</th>
                <th scope="col">Started</th>
                <th scope="col" class="number">Time</th>
                <th scope="col">Cause</th>
              </tr>
            </thead>
            <tbody>
              ${items.map(
                (attempt) => html`<tr data-row>
                  <td><a href=${link(attempt)}>${name(attempt)}</a></td>
                  <td>${badge(attempt.state)}</td>
                  <td>${attempt.cluster}</td>
                  <td>${time(attempt.startedAt)}</td>
                  <td class="number">${between(attempt.startedAt, attempt.endedAt)}</td>
                  <td>${attempt.cause ?? ""} ${attempt.message ?? ""}</td>
                </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </section>
    `;
  }

  #history() {
    const { items, cut } = this.timeline.value ?? { items: [], cut: false };
    const call = { path: `/jobs/${this.job}/timeline` };
    return html`
      <section class="card">
        ${heading("Timeline", call, `fairlead job timeline ${this.job}`, html`<span class="count">${items.length}${cut ? "+" : ""}</span>`)}
        ${freshness(this.timeline, "The timeline")} ${loading(this.timeline)}
        <ol class="timeline bounded">
          ${items.toReversed().map(
            (entry) => html`<li data-source=${entry.source}>
              ${time(entry.at)} <b>${words(entry.type)}</b>
              <span>${entry.text} ${entry.node ?? ""}</span>
              <span class="quiet">${entry.actor ?? entry.source.toLowerCase()}</span>
            </li>`,
          )}
        </ol>
        ${cut ? html`<p class="quiet">The first ${HISTORY} entries are shown.</p>` : nothing}
        <details class="events" @toggle=${() => this.events.refresh(true)}>
          <summary>Events</summary>
          ${heading("", { path: `/jobs/${this.job}/events` }, `fairlead job events ${this.job}`)}
          ${freshness(this.events, "The events")}
          <ol class="timeline bounded">
            ${(this.events.value ?? []).map(
              ({ at, type, actor, data }) => html`<li>
                ${time(at)} <b>${type}</b> <span>${numbers(data ?? {})}</span> <span class="quiet">${actor}</span>
              </li>`,
            )}
          </ol>
        </details>
      </section>
    `;
  }
}
customElements.define("fl-job", JobPage);

/** Namespace, kind, name and UID of the object of a front cluster in whose pods a job runs. */
const OBJECT = "front.fairlead.dev/object";

/** @param {Api.Schemas["JobResponse"]} job */
function inPlace(job) {
  const [namespace, kind, name] = (job.spec.annotations?.[OBJECT] ?? "").split("/");
  return name
    ? html`<p>Pods of <code>${kind}</code> <b>${namespace}/${name}</b>, which runs in place. A member has the state of the object, and its reason is its pod.</p>`
    : nothing;
}

/** Members by the parts of the object of the job, in one group without an object. @param {Api.Schemas["JobResponse"]} job @param {Api.Schemas["MemberResponse"][]} members */
function parts(job, members) {
  if (!job.spec.annotations?.[OBJECT]) return [{ part: "", members }];
  return [...Map.groupBy(members, (member) => member.role)].map(([part, of]) => ({ part, members: of }));
}

/** @param {Api.Schemas["AttemptResponse"]} attempt @param {Api.Schemas["MemberResponse"]} member */
const memberRow = (attempt, member) => html`
  <tr>
    <td>${member.role}-${member.index}</td>
    <td>${badge(member.state)}</td>
    <td><a href=${`#/map?${new URLSearchParams({ cluster: attempt.cluster, node: member.node })}`}>${member.node}</a></td>
    <td class="serials">
      ${member.gpus.map(
        (gpu) => html`<code title=${gpu.serial}>${short(gpu.serial)}${gpu.fraction < 1 ? ` ×${amount(gpu.fraction)}` : ""}</code> `,
      )}
    </td>
    <td class="number">${between(member.startedAt, member.endedAt)}</td>
    <td class="number">${member.exitCode ?? ""}</td>
    <td>${member.reason ?? ""}</td>
  </tr>
`;

/** @param {string} serial the first eight characters tell devices apart on a page */
const short = (serial) => serial.replace(/^GPU-/, "").slice(0, 8);

/**
 * How long the job has been in each phase of its life, of its newest attempt.
 *
 * @param {Api.Schemas["JobResponse"]} job
 * @param {Api.Schemas["AttemptResponse"] | undefined} attempt
 */
function phases(job, attempt) {
  const end = job.endedAt ?? new Date().toISOString();
  const marks = [
    ["queued", "Queued", job.createdAt, attempt?.createdAt ?? end],
    ["starting", "Starting", attempt?.createdAt, attempt?.startedAt ?? (attempt && end)],
    ["running", "Running", attempt?.startedAt, attempt?.endedAt ?? end],
  ];
  const parts = marks
    .filter(([, , from]) => from)
    .map(([kind, name, from, to]) => ({
      kind,
      label: `${name} ${between(from, to)}`,
      share: Date.parse(to) - Date.parse(from),
    }));
  const longest = Math.max(...parts.map((part) => part.share), 1);
  const seen = parts.map((part) => ({ ...part, share: Math.max(part.share / longest, 0.02) }));
  return html`
    <div class="phases">
      ${bar(seen)}
      <p>${seen.map((part) => html`<span data-kind=${part.kind}><i aria-hidden="true"></i>${part.label}</span>`)}</p>
    </div>
  `;
}

/** The last report of the program: 1,200 of 5,000 steps (24 %), loss 0.31, 3s ago, about 2h 10m left. @param {Api.Schemas["JobResponse"]["progress"]} report */
function progress(report) {
  if (!report) return nothing;
  const { step, total, metrics, reportedAt, expectedEnd } = report;
  const of = total ? ` of ${amount(total)} steps (${Math.floor((100 * step) / total)} %)` : "";
  const parts = [
    step === null || step === undefined ? null : of ? `${amount(step)}${of}` : `step ${amount(step)}`,
    ...Object.entries(metrics).map(([name, value]) => `${name} ${Number(value.toPrecision(6))}`),
    `${between(reportedAt)} ago`,
    expectedEnd && Date.parse(expectedEnd) > Date.now() ? `about ${between(new Date().toISOString(), expectedEnd)} left` : null,
  ];
  return html`<p class="quiet">${parts.filter(Boolean).join(", ")}</p>`;
}

/** @param {Api.Schemas["JobResponse"]} job */
function summary(job) {
  const { cluster, nodes = [] } = job.placement ?? {};
  return html`<section class="card">
    ${heading("Job")}
    ${facts([
      ["Project", job.project],
      ["Queue", job.queue],
      ["User", job.user],
      ["Priority", `${job.priority} (${job.priorityClass})`],
      ["GPUs", gpus(job.gpus)],
      ["Cluster", cluster],
      ["Nodes", nodes.length > 4 ? `${nodes.length}, first ${nodes[0]}` : nodes.join(", ")],
      ["Created", time(job.createdAt)],
      ["Started", job.startedAt && time(job.startedAt)],
      ["Ended", job.endedAt && time(job.endedAt)],
      ["Attempt", job.attempt || null],
      ["Array", job.array && arrayText(job.array)],
      ["Labels", labels(job.labels)],
    ])}
    ${job.warnings?.map((warning) => html`<p class="notice warn">${warning}</p>`)}
  </section>`;
}

/** @param {Api.Schemas["ArrayCounts"]} array */
const arrayText = (array) =>
  `${array.elements} elements: ${array.running} running, ${array.queued} queued, ${array.succeeded} succeeded, ${array.failed} failed, ${array.cancelled} cancelled`;

/** @param {Record<string, string> | null | undefined} map */
const labels = (map) => {
  const pairs = Object.entries(map ?? {});
  return pairs.length ? pairs.map(([k, v]) => html`<span class="chip">${k} <b>${v}</b></span>`) : null;
};

/** @param {Api.Schemas["JobResponse"]} job */
function cost(job) {
  const { cost } = job;
  /** @param {number | null | undefined} value */
  const money = (value) => (value === null || value === undefined ? null : `${amount(value)} ${cost.currency ?? ""}`);
  /** @type {[string, string][]} */
  const lines = (cost?.lines ?? []).map((line) => [
    `${amount(line.gpus)} ${line.model}`,
    line.pricePerGpuHour === null ? "no price" : `${amount(line.pricePerGpuHour)} ${line.currency} per GPU-hour`,
  ]);
  return html`<section class="card">
    ${heading("Cost", { path: `/jobs/${job.id}` }, `fairlead get ${job.id} -o json`)}
    ${cost
      ? facts([
          ["Per hour", money(cost.perHour)],
          ["Until maxRuntime", money(cost.byMaxRuntime)],
          ["So far", money(cost.soFar)],
          ...lines,
          ["", cost.sunk ? "The capacity is paid for whether it is used or not." : null],
        ])
      : html`<p class="quiet">${ENDED.includes(job.state) ? "The usage report shows the cost of ended jobs." : "No price applies to this job now."}</p>`}
  </section>`;
}

/** @param {Api.Schemas["JobResponse"]} job */
const conditions = (job) => html`<section class="card">
  ${heading("Conditions")}
  <ul class="conditions">
    ${job.conditions.map(
      (condition) => html`<li data-status=${condition.status}>
        <i aria-hidden="true"></i><b>${condition.type}</b> ${condition.status}
        <span class="quiet">${condition.message}, ${time(condition.lastTransitionTime)}</span>
      </li>`,
    )}
  </ul>
</section>`;

/** @param {Api.Schemas["JobResponse"]} job */
const specification = (job) => html`<details class="card">
  <summary>Spec</summary>
  <pre class="spec">${JSON.stringify(job.spec, null, 2)}</pre>
</details>`;
