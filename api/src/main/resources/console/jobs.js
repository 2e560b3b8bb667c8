/** The list of jobs: running first, live, paged by the database; its filters are its address. */
import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { get } from "./api.js";
import { between, gpus, time } from "./format.js";
import { ACTIVE, badge, ENDED, freshness, heading, jobLink, loading, Part, Ticker, WAITING } from "./parts.js";
import { Query } from "./query.js";
import { EventStream } from "./stream.js";

const PAGE = 50;
const MOST_PAGES = 10;
const STATES = [...ACTIVE, ...WAITING, ...ENDED];

/** A list without a filter by state is shown as three, in this order. */
const SECTIONS = [
  { title: "Active", states: ACTIVE },
  { title: "Waiting", states: WAITING },
  { title: "Ended", states: ENDED },
];

/** Words of the search that name a parameter of the API; any other word is a job's name or id. */
const WORDS = ["user", "queue", "project", "label"];

/**
 * The parameters of the API that a search stands for.
 *
 * @param {string} search such as "llama-sft queue:research label:team=nlp"
 * @returns {Record<string, string | string[]>}
 */
export function parameters(search) {
  /** @type {Record<string, any>} */
  const found = {};
  for (const word of search.split(/\s+/).filter(Boolean)) {
    const [key, ...rest] = word.split(":");
    if (!rest.length || !WORDS.includes(key)) found.name = word;
    else if (key === "label" || key === "queue") (found[key] ??= []).push(rest.join(":"));
    else found[key] = rest.join(":");
  }
  return found;
}

class Jobs extends Part {
  static properties = { params: { attribute: false }, me: { attribute: false } };

  constructor() {
    super();
    /** @type {URLSearchParams} */
    this.params = new URLSearchParams();
    /** @type {Api.Schemas["MeResponse"] | undefined} */
    this.me = undefined;
    this.stream = null;
    /** @type {Record<string, number>} pages shown, by title of the section */
    this.pages = {};
    /** @type {Map<string, {text: string, job: Api.Schemas["JobResponse"]}>} jobs of the last read by id */
    this.known = new Map();
    new Ticker(this);
    this.counts = new Query(this, (signal) => this.#count(signal), { every: 15_000, pause: 2_000 });
    this.lists = new Query(this, (signal) => this.#read(signal), { every: 15_000, pause: 1_500 });
  }

  /** @returns {Record<string, any>} the filters but the state */
  #filter() {
    const mine = this.params.get("mine") === "true" ? { user: this.me.user } : {};
    return { ...mine, ...parameters(this.params.get("q") ?? "") };
  }

  #sections() {
    const states = this.params.getAll("state");
    return states.length ? [{ title: states.join(", "), states }] : SECTIONS;
  }

  /** @param {AbortSignal} signal */
  async #count(signal) {
    const { name, ...filter } = this.#filter();
    if (name) return null; // the API does not count by name
    const { items } = await get("/jobs/summary", { groupBy: "state", ...filter }, signal);
    return Object.fromEntries(items.map((item) => [item.group.state, item.jobs]));
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const sections = await this.#lists(signal);
    /** @type {Jobs["known"]} */
    const known = new Map();
    for (const { items } of sections) items.forEach((job, index) => (items[index] = this.#same(job, known)));
    this.known = known;
    return sections;
  }

  /**
   * The object of the last read if the job has not changed: its row is not rendered again.
   *
   * @param {Api.Schemas["JobResponse"]} job
   * @param {Jobs["known"]} known of this read
   */
  #same(job, known) {
    const text = JSON.stringify(job);
    const before = this.known.get(job.id);
    const one = before?.text === text ? before : { text, job };
    known.set(job.id, one);
    return one.job;
  }

  /** @param {AbortSignal} signal */
  #lists(signal) {
    const filter = this.#filter();
    return Promise.all(
      this.#sections().map(async ({ title, states }) => {
        const path = "/jobs";
        const call = { path, params: { ...filter, state: states, view: "BASIC", pageSize: PAGE } };
        /** @type {Api.Schemas["JobResponse"][]} */
        const items = [];
        /** @type {string | null | undefined} */
        let pageToken = null;
        for (let page = 0; page < (this.pages[title] ?? 1); page++) {
          const read = await get(path, { ...call.params, pageToken }, signal);
          items.push(...read.items);
          pageToken = read.nextPageToken;
          if (!pageToken) break;
        }
        return { title, call, items, more: pageToken !== null };
      }),
    );
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("params") || String(changed.get("params") ?? "") === String(this.params)) return;
    if (!this.isConnected || !this.hasUpdated) return;
    this.pages = {};
    this.lists.restart();
    this.counts.restart();
    this.#follow();
  }

  connectedCallback() {
    super.connectedCallback();
    this.#follow();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unfollow();
  }

  #follow() {
    this.#unfollow();
    const { project } = this.#filter();
    this.stream = new EventStream({ project }, {
      event: (event) => event.subject.type === "job" && this.#refresh(),
      gap: () => this.#refresh(),
      change: () => this.#tell(this.stream),
    });
    this.#tell(this.stream);
  }

  #unfollow() {
    this.stream?.close();
    this.#tell(null);
  }

  #tell(stream) {
    this.dispatchEvent(new CustomEvent("fl-stream", { bubbles: true, detail: stream }));
  }

  #refresh() {
    this.lists.refresh();
    this.counts.refresh();
  }

  /** @param {(params: URLSearchParams) => void} change of the address */
  #go(change) {
    const params = new URLSearchParams(this.params);
    change(params);
    location.hash = `#/jobs${params.size ? `?${params}` : ""}`;
  }

  render() {
    return html`
      <div class="title">
        <h1>Jobs</h1>
        ${this.#filters()}
      </div>
      ${this.#tabs()} ${freshness(this.lists, "The list of jobs")} ${loading(this.lists)}
      ${this.lists.value?.map((section) => this.#section(section))}
    `;
  }

  #filters() {
    const mine = this.params.get("mine") === "true";
    const whose = (value, text) => html`<button
      type="button"
      aria-pressed=${mine === value}
      @click=${() => this.#go((p) => (value ? p.set("mine", "true") : p.delete("mine")))}
    >
      ${text}
    </button>`;
    return html`
      <div class="group" role="group" aria-label="Whose jobs">${whose(false, "All")}${whose(true, "Mine")}</div>
      <form role="search" @submit=${(event) => this.#search(event)}>
        <label class="hidden" for="search">Search</label>
        <input
          id="search"
          type="search"
          name="q"
          placeholder="Name or id, user:ana queue:research project:nlp label:team=nlp"
          .value=${this.params.get("q") ?? ""}
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
    `;
  }

  /** @param {SubmitEvent} event */
  #search(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const text = String(new FormData(form).get("q")).trim();
    if (/^job_\w+$/.test(text)) location.hash = `#/jobs/${text}`;
    else this.#go((p) => (text ? p.set("q", text) : p.delete("q")));
  }

  #tabs() {
    const counts = this.counts.value;
    const chosen = this.params.getAll("state");
    const total = counts ? Object.values(counts).reduce((a, b) => a + b, 0) : null;
    const tab = (state, text, count) => html`<button
      type="button"
      aria-pressed=${state ? chosen.includes(state) : !chosen.length}
      ?data-none=${count === 0}
      @click=${() => this.#go((p) => (p.delete("state"), state && p.set("state", state)))}
    >
      ${text} <b>${count ?? ""}</b>
    </button>`;
    return html`
      <div class="tabs" role="group" aria-label="State">
        ${tab("", "ALL", total)} ${STATES.map((state) => tab(state, state, counts && (counts[state] ?? 0)))}
        <fl-call .call=${{ path: "/jobs/summary", params: { groupBy: "state", ...this.#filter() } }}></fl-call>
      </div>
    `;
  }

  /** @param {{title: string, call: import("./api.js").Call, items: Api.Schemas["JobResponse"][], more: boolean}} section */
  #section({ title, call, items, more }) {
    if (!items.length && !this.params.has("state") && title !== "Active") return nothing;
    const shown = Math.min(MOST_PAGES, this.pages[title] ?? 1);
    return html`
      <section>
        ${heading(title, call, "fairlead ps", html`<span class="count">${items.length}${more ? "+" : ""}</span>`)}
        ${items.length ? this.#table(title, items) : html`<p class="quiet">No job matches.</p>`}
        ${more && shown < MOST_PAGES
          ? html`<button type="button" class="more" @click=${() => this.#more(title)}>Show more</button>`
          : nothing}
        ${more && shown >= MOST_PAGES
          ? html`<p class="quiet">${items.length} jobs are shown. Narrow the search for the others.</p>`
          : nothing}
      </section>
    `;
  }

  #more(title) {
    this.pages[title] = (this.pages[title] ?? 1) + 1;
    this.lists.refresh(true);
  }

  /** @param {string} title @param {Api.Schemas["JobResponse"][]} jobs */
  #table(title, jobs) {
    const today = new Date().toDateString();
    return html`
      <table class="jobs">
        <caption class="hidden">${title}</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Name</th>
            <th scope="col">Project / queue</th>
            <th scope="col">User</th>
            <th scope="col" class="number">GPUs</th>
            <th scope="col" class="number">Time</th>
            <th scope="col">Place or reason</th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          ${repeat(jobs, (job) => job.id, (job) => row(job, today))}
        </tbody>
      </table>
    `;
  }
}
customElements.define("fl-jobs", Jobs);

/**
 * Once a second only the time of a row is rendered, because a list has up to 500 rows.
 *
 * @param {Api.Schemas["JobResponse"]} job
 * @param {string} today on which times are shown without a date
 */
const row = (job, today) => html`
  <tr data-row>
    ${guard(
      [job],
      () => html`
        <td>${badge(job.state)}</td>
        <td class="name">${jobLink(job)}${progress(job)}</td>
        <td>${job.project} / ${job.queue}</td>
        <td>${job.user}</td>
        <td class="number">${gpus(job.gpus)}</td>
      `,
    )}
    <td class="number">${elapsed(job)}</td>
    ${guard(
      [job, today],
      () => html`
        <td class="why">${place(job)}</td>
        <td class="when">${time(job.createdAt)}</td>
      `,
    )}
  </tr>
`;

/** How long a job has run or waited. @param {Api.Schemas["JobResponse"]} job */
export function elapsed(job) {
  if (ENDED.includes(job.state)) return between(job.startedAt ?? job.createdAt, job.endedAt);
  return between(job.state === "RUNNING" ? (job.startedAt ?? job.stateChangedAt) : job.stateChangedAt);
}

/** @param {Api.Schemas["JobResponse"]} job */
const progress = ({ array }) =>
  array
    ? html` <span class="chip">${array.succeeded + array.failed + array.cancelled} of ${array.elements}</span>`
    : nothing;

/** @param {Api.Schemas["JobResponse"]} job */
export function place({ pending, failure, placement, state }) {
  if (failure && state !== "SUCCEEDED") return html`<b>${failure.cause}</b> ${failure.message}`;
  if (pending) {
    const rank = pending.position ? html`<span class="chip">#${pending.position}</span> ` : nothing;
    return html`${rank}<b data-class=${pending.class}>${pending.reason}</b> ${pending.message}`;
  }
  if (!placement?.cluster) return "";
  const { cluster, nodes } = placement;
  return `${cluster}${nodes.length ? `, ${nodes.length > 2 ? `${nodes.length} nodes` : nodes.join(", ")}` : ""}`;
}
