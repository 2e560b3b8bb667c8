/** One model service: its rollout with numbers, its versions, its replicas, and what may be done. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import { ask } from "./dialog.js";
import { amount, between, time } from "./format.js";
import { badge, facts, freshness, heading, loading, Part, Ticker } from "./parts.js";
import { permissions } from "./permissions.js";
import { Query } from "./query.js";
import { ready, rollsOut, standing, traffic, trafficBar } from "./services.js";
import { EventStream } from "./stream.js";

const VERSIONS = 50;
const OPERATIONS = [
  "pauseModelService",
  "resumeModelService",
  "promoteModelService",
  "abortModelService",
  "rollbackModelService",
];

/** @typedef {{number: number} & Partial<Api.Schemas["ServiceVersionResponse"]>} Version the older ones have only a number */

class ServicePage extends Part {
  static properties = { project: {}, service: {} };

  constructor() {
    super();
    this.project = this.service = "";
    this.stream = null;
    new Ticker(this);
    this.main = new Query(this, (signal) => get(this.#path(), {}, signal), { every: 3_000 });
    /** @param {AbortSignal} signal */
    const versions = (signal) => get(`${this.#path()}/versions`, { pageSize: VERSIONS }, signal);
    this.versions = new Query(this, versions, { every: 30_000, pause: 3_000 });
    this.allowed = permissions(this, OPERATIONS, () => this.project);
  }

  /** @returns {`/projects/${string}/services/${string}`} */
  #path() {
    return `/projects/${encodeURIComponent(this.project)}/services/${encodeURIComponent(this.service)}`;
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

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!this.hasUpdated || !(changed.has("project") || changed.has("service"))) return;
    [this.main, this.versions, this.allowed].forEach((query) => query.restart());
    this.#follow();
  }

  /** A replica is a job of the project: each change of one may move the rollout. */
  #follow() {
    this.stream?.close();
    const again = () => (this.main.refresh(), this.versions.refresh());
    this.stream = new EventStream({ project: this.project }, {
      event: (event) => event.subject.type === "job" && this.main.refresh(),
      gap: again,
      change: () => this.#tell(this.stream),
    });
    this.#tell(this.stream);
  }

  #tell(stream) {
    this.dispatchEvent(new CustomEvent("fl-stream", { bubbles: true, detail: stream }));
  }

  render() {
    const service = this.main.value;
    if (!service) {
      return html`<div class="title"><h1 dir="auto">${this.service}</h1></div>
        ${freshness(this.main, "The service")} ${loading(this.main)}`;
    }
    document.title = `${service.name} · Fairlead`;
    return html`
      <div class="title">
        <h1 dir="auto">${service.name}</h1>
        ${badge(standing(service))}
        <span class="actions">${this.#actions(service)}</span>
      </div>
      <p class="id"><code>${service.id}</code><fl-call
          .call=${{ path: this.#path() }}
          .cli=${this.#cli("get")}
        ></fl-call>
      </p>
      ${freshness(this.main, "The service")}
      <div class="columns">
        <div>${this.#rollout(service)} ${this.#versions(service)} ${this.#replicas(service)}</div>
        <aside>${settings(service)}</aside>
      </div>
      <fl-action></fl-action>
    `;
  }

  /** @param {string} command @param {string} [more] */
  #cli(command, more = "") {
    return `fairlead --project ${this.project} service ${command} ${this.service}${more}`;
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #actions(service) {
    if (service.deleting || !rollsOut(service)) return nothing;
    const button = (title, chosen, kind = "") =>
      html`<button type="button" class=${kind} @click=${chosen}>${title}</button>`;
    const paused = service.rollout.pausedSince;
    return html`
      ${!paused && this.allowed.may("pauseModelService") ? button("Pause", () => this.#pause(service)) : nothing}
      ${paused && this.allowed.may("resumeModelService") ? button("Resume", () => this.#resume(service)) : nothing}
      ${this.allowed.may("promoteModelService") ? button("Promote", () => this.#promote(service)) : nothing}
      ${this.allowed.may("abortModelService") ? button("Abort", () => this.#abort(service), "danger") : nothing}
    `;
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #pause(service) {
    this.#act("pause", service, null, {
      title: "Pause the rollout of",
      effect: "No further step begins until the rollout is resumed. A bad version is still rolled back.",
      body: { version: service.rollout.target },
      plan: halted,
    });
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #resume(service) {
    this.#act("resume", service, null, {
      title: "Resume the rollout of",
      effect: "The rollout continues with its steps.",
      body: { version: service.rollout.target },
      plan: halted,
    });
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #promote(service) {
    const { target } = service.rollout;
    this.#act("promote", service, null, {
      title: "Promote",
      effect: `Version ${target} gets all traffic as soon as its replicas are ready, without further steps or judgement.`,
      body: { version: target },
    });
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #abort(service) {
    const { stableVersion, rollout } = service;
    this.#act("abort", service, stableVersion, {
      title: "Abort the rollout of",
      effect: `All traffic returns to version ${stableVersion}. Version ${rollout.target} remains in the list.`,
      body: { version: rollout.target },
    });
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service @param {number} version */
  #rollback(service, version) {
    this.#act("rollback", service, version, {
      title: "Roll back",
      effect: `Version ${version} gets all traffic as soon as its replicas are ready, without steps or judgement.`,
      body: { version },
    });
  }

  /**
   * @param {string} action
   * @param {Api.Schemas["ModelServiceResponse"]} service
   * @param {number | null} version that gets the traffic, null for the target of the rollout
   * @param {{title: string, effect: string, body: unknown, plan?: (after: Api.Schemas["ModelServiceResponse"]) => unknown}} order
   *   a plan of its own moves no traffic, so it asks for no name
   */
  #act(action, service, version, { title, effect, body, plan: own }) {
    ask(this, {
      title,
      effect,
      subject: "service",
      name: service.name,
      asks: !own,
      call: () => ({ method: "POST", path: `${this.#path()}/${action}`, body }),
      plan: own ?? ((after) => plan(service, after, version ?? after.rollout.target)),
      done: (after) => {
        this.main.value = after;
        this.main.refresh(true);
      },
    });
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #rollout(service) {
    const { rollout, steps } = service;
    const call = heading("Rollout", { path: this.#path() }, this.#cli("rollout"));
    if (!rollout) {
      return html`<section class="card">${call}<p class="quiet">This service has not changed its version yet.</p></section>`;
    }
    const open = rollsOut(service);
    return html`
      <section class=${rollout.phase === "ROLLED_BACK" ? "card failed" : "card"}>
        ${call}
        <p class="lead">${badge(rollout.phase)} <span dir="auto">${rollout.reason}</span></p>
        ${rollout.judged
          ? html`<ol class="steps" aria-label="Steps of the traffic">
              ${steps.map((share, index) => step(share, index, rollout, open))}
            </ol>`
          : nothing}
        ${facts([
          ["Version", `${service.stableVersion} → ${rollout.target}`],
          ["Traffic", `${rollout.share} % granted; now ${traffic(service)}`],
          ["Step", rollout.judged ? `${rollout.step + 1} of ${steps.length}` : "all traffic, without judgement"],
          ["Since", html`${time(rollout.since)} <span class="quiet">${between(rollout.since)}</span>`],
          ["Requests", `${amount(rollout.requests)}, ${amount(rollout.bad)} of them bad`],
        ])}
      </section>
    `;
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #versions(service) {
    const found = this.versions.value;
    /** @param {number} number */
    const backend = (number) => service.backends.find(({ version }) => version === number);
    const listed = new Set((found?.items ?? []).map(({ number }) => number));
    const older = service.backends.filter(({ version }) => !listed.has(version)).map(({ version }) => ({ number: version }));
    /** @type {Version[]} */
    const all = [...(found?.items ?? []), ...older];
    const count = html`<span class="count">${all.length}${found?.nextPageToken ? "+" : ""}</span>`;
    return html`
      <section class="card">
        ${heading("Versions", { path: `${this.#path()}/versions` }, this.#cli("get"), count)}
        ${freshness(this.versions, "The list of versions")} ${trafficBar(service)}
        <div class="scroll bounded">
          <table>
            <caption class="hidden">Versions</caption>
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col" class="number">Traffic</th>
                <th scope="col" class="number">Ready</th>
                <th scope="col" class="number">Requests</th>
                <th scope="col" class="number">Bad</th>
                <th scope="col">Image</th>
                <th scope="col">Created</th>
                <th scope="col"><span class="hidden">Action</span></th>
              </tr>
            </thead>
            <tbody>
              ${all.map((version) => this.#version(service, version, backend(version.number)))}
            </tbody>
          </table>
        </div>
      </section>
    `;
  }

  /**
   * @param {Api.Schemas["ModelServiceResponse"]} service
   * @param {Version} version
   * @param {Api.Schemas["ServiceBackendResponse"] | undefined} backend
   */
  #version(service, { number, images, createdBy, createdAt }, backend) {
    const target = rollsOut(service) ? service.rollout.target : service.stableVersion;
    const offered = number !== target && !service.deleting && this.allowed.may("rollbackModelService");
    return html`<tr>
      <td>v${number}${number === service.stableVersion ? html` <span class="chip">stable</span>` : nothing}</td>
      <td class="number">${backend?.weight ?? 0} %</td>
      <td class="number">${backend ? `${backend.ready}/${backend.replicas}` : "0/0"}</td>
      <td class="number">${amount(backend?.requests)}</td>
      <td class="number">${amount(backend?.bad)}</td>
      <td class="why" dir="auto">${images?.join(", ") ?? "–"}</td>
      <td>${createdAt ? html`${time(createdAt)} <span class="quiet">${createdBy}</span>` : "–"}</td>
      <td>
        ${offered
          ? html`<button type="button" data-version=${number} @click=${() => this.#rollback(service, number)}>
              Roll back to v${number}
            </button>`
          : nothing}
      </td>
    </tr>`;
  }

  /** @param {Api.Schemas["ModelServiceResponse"]} service */
  #replicas(service) {
    const count = html`<span class="count">${service.replicas.length}</span>`;
    const jobs = { path: "/jobs", params: { project: service.project, label: `service=${service.name}` } };
    return html`
      <section class="card">
        ${heading("Replicas", jobs, this.#cli("get"), count)}
        ${service.replicas.length
          ? html`<div class="scroll bounded">
              <table>
                <caption class="hidden">Replicas</caption>
                <thead>
                  <tr>
                    <th scope="col">Replica</th>
                    <th scope="col">State</th>
                    <th scope="col">Job</th>
                    <th scope="col" class="number">Restarts</th>
                    <th scope="col">Reason</th>
                  </tr>
                </thead>
                <tbody>
                  ${service.replicas.map(replica)}
                </tbody>
              </table>
            </div>`
          : html`<p class="quiet">No replica exists.</p>`}
      </section>
    `;
  }
}
customElements.define("fl-service", ServicePage);

/** @param {number} share @param {number} index @param {Api.Schemas["RolloutResponse"]} rollout @param {boolean} open */
function step(share, index, rollout, open) {
  const done = rollout.phase === "PROMOTED" || index < rollout.step;
  const now = open && index === rollout.step;
  const state = done ? "done" : now ? "now" : "later";
  return html`<li data-step=${state} aria-current=${now ? "step" : nothing}>${share} %</li>`;
}

/** @param {Api.Schemas["ServiceReplicaResponse"]} replica */
const replica = ({ version, number, condition, stopping, job, restarts, reason }) => html`<tr data-row>
  <td>v${version}-${number}</td>
  <td>${badge(stopping ? "STOPPING" : condition)}</td>
  <td>${job ? html`<a href=${`#/jobs/${job}`}>${job}</a>` : "not submitted"}</td>
  <td class="number">${restarts}</td>
  <td class="why" dir="auto">${reason}</td>
</tr>`;

/** @param {Api.Schemas["ModelServiceResponse"]} after */
const halted = (after) =>
  html`<li>The rollout of v${after.rollout.target} ${after.rollout.pausedSince ? "is paused" : "continues"} at ${after.rollout.share} %</li>`;

/**
 * What an order changes.
 *
 * @param {Api.Schemas["ModelServiceResponse"]} before
 * @param {Api.Schemas["ModelServiceResponse"]} after of the dry run
 * @param {number} version
 */
function plan(before, after, version) {
  const backend = before.backends.find((one) => one.version === version);
  const have = backend?.ready ?? 0;
  const missing = version === before.stableVersion ? 0 : Math.max(0, before.minReplicas - have);
  return html`
    <li>Rollout ${badge(before.rollout?.phase ?? "SERVING")} → ${badge(after.rollout?.phase ?? "SERVING")}</li>
    <li>Traffic ${traffic(before)} → v${version} 100 %</li>
    <li>
      ${missing
        ? `${have} of ${before.minReplicas} replicas of version ${version} are ready. The traffic moves when the other ${missing} are ready.`
        : `${have} ready ${have === 1 ? "replica" : "replicas"} of version ${version}: the traffic moves immediately.`}
    </li>
  `;
}

/** @param {Api.Schemas["ModelServiceResponse"]} service */
const settings = (service) => html`<section class="card">
  ${heading("Service")}
  ${facts([
    ["Route", service.route],
    ["Project", html`<a href=${`#/services?${new URLSearchParams({ project: service.project })}`}>${service.project}</a>`],
    ["Stable", `version ${service.stableVersion}`],
    ["Newest", `version ${service.latestVersion}`],
    ["Replicas", `${ready(service)} ready, ${service.minReplicas} to ${service.maxReplicas}`],
    ["Idle", service.idle ? `${service.idle.reason} (${service.idle.after})` : "never sleeps"],
    ["Steps", service.steps.map((share) => `${share} %`).join(", ")],
    ["Step lasts", `at least ${service.stepFor}`],
    ["Bad above", service.slowerThan],
  ])}
</section>`;
