/** Model services: which version has which traffic, how far a rollout is, and why it is there. */
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { get } from "./api.js";
import { time, words } from "./format.js";
import { badge, bar, freshness, heading, loading, Part } from "./parts.js";
import { Query } from "./query.js";

/** Services are listed project by project: of more projects than these, one has to be chosen. */
const MOST_PROJECTS = 20;
const OPEN = ["WAITING_FOR_REPLICAS", "OBSERVING", "WAITING_FOR_TRAFFIC"];

/** @param {Api.Schemas["ModelServiceResponse"]} service whether its rollout can still be promoted or aborted */
export const rollsOut = ({ rollout }) => rollout !== null && OPEN.includes(rollout.phase);

/** @param {Api.Schemas["ModelServiceResponse"]} service what it does now, as a state */
export const standing = (service) =>
  service.deleting
    ? "DELETING"
    : service.idle && service.idle.phase !== "AWAKE"
      ? service.idle.phase
      : rollsOut(service)
        ? service.rollout.phase
        : "SERVING";

/** @param {Api.Schemas["ModelServiceResponse"]} service such as "v1 95 %, v2 5 %" */
export const traffic = ({ backends }) =>
  backends
    .filter(({ weight }) => weight > 0)
    .map(({ version, weight }) => `v${version} ${weight} %`)
    .join(", ") || "none";

/**
 * The traffic of each version as a bar: the stable version, the other one of a rollout, the rest.
 *
 * @param {Api.Schemas["ModelServiceResponse"]} service
 */
export function trafficBar({ backends, stableVersion }) {
  const kind = (version) => (version === stableVersion ? "allocated" : "foreign");
  return bar(
    backends
      .filter(({ weight }) => weight > 0)
      .map(({ version, weight }) => ({
        kind: kind(version),
        share: weight / 100,
        label: `version ${version} has ${weight} % of the traffic`,
      })),
  );
}

/** @param {Api.Schemas["ModelServiceResponse"]} service of how many replicas how many are ready */
export function ready({ backends }) {
  /** @param {"ready" | "replicas"} of */
  const sum = (of) => backends.reduce((all, backend) => all + backend[of], 0);
  return `${sum("ready")}/${sum("replicas")}`;
}

/** @param {{project: string, name: string}} service */
const serviceHref = ({ project, name }) =>
  `#/services/${encodeURIComponent(project)}/${encodeURIComponent(name)}`;

class Services extends Part {
  static properties = { params: { attribute: false } };

  constructor() {
    super();
    this.params = new URLSearchParams();
    this.services = new Query(this, (signal) => this.#read(signal), { every: 15_000 });
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const projects = (await get("/projects", {}, signal)).items.map(({ name }) => name);
    const chosen = this.params.get("project");
    const read = chosen ? [chosen] : projects.length > MOST_PROJECTS ? [] : projects;
    const lists = await Promise.all(
      read.map((project) => get(`/projects/${encodeURIComponent(project)}/services`, {}, signal)),
    );
    return { projects, read, items: lists.flatMap(({ items }) => items) };
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const before = changed.get("params");
    if (before && this.hasUpdated && String(before) !== String(this.params)) this.services.restart();
  }

  render() {
    const projects = this.services.value?.projects ?? [];
    const chosen = this.params.get("project") ?? "";
    const names = chosen && !projects.includes(chosen) ? [chosen, ...projects] : projects;
    return html`
      <div class="title">
        <h1>Services</h1>
        <label for="project">project</label>
        <select id="project" @change=${(event) => this.#go(event.target.value)}>
          <option value="" ?selected=${!chosen}>${projects.length > MOST_PROJECTS ? "choose" : "all"}</option>
          ${names.map((name) => html`<option value=${name} ?selected=${name === chosen}>${name}</option>`)}
        </select>
      </div>
      ${freshness(this.services, "The list of services")} ${loading(this.services)} ${this.#table()}
    `;
  }

  /** @param {string} project of the address */
  #go(project) {
    location.hash = `#/services${project ? `?${new URLSearchParams({ project })}` : ""}`;
  }

  #table() {
    const { value } = this.services;
    if (!value) return nothing;
    const { projects, read, items } = value;
    if (!read.length && projects.length) {
      return html`<p class="notice">There are ${projects.length} projects. Choose one of them.</p>`;
    }
    const project = this.params.get("project") ?? read[0] ?? "default";
    const count = html`<span class="count">${items.length}</span>`;
    return html`
      <section>
        ${heading("Model services", { path: `/projects/${project}/services` }, `fairlead --project ${project} service list`, count)}
        ${items.length ? rows(items) : html`<p class="quiet">No service exists here.</p>`}
      </section>
    `;
  }
}
customElements.define("fl-services", Services);

/** @param {Api.Schemas["ModelServiceResponse"][]} services */
const rows = (services) => html`
  <div class="scroll">
    <table class="capacity">
      <caption class="hidden">Model services</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Name</th>
          <th scope="col">Project</th>
          <th scope="col">Route</th>
          <th scope="col">Traffic</th>
          <th scope="col" class="number">Ready</th>
          <th scope="col">Last rollout</th>
        </tr>
      </thead>
      <tbody>
        ${repeat(services, (service) => service.id, row)}
      </tbody>
    </table>
  </div>
`;

/** @param {Api.Schemas["ModelServiceResponse"]} service */
const row = (service) => html`
  <tr data-row>
    <td>${badge(standing(service))}</td>
    <td><a href=${serviceHref(service)} dir="auto">${service.name}</a></td>
    <td>${service.project}</td>
    <td>${service.route}</td>
    <td class="use">${trafficBar(service)}<span class="quiet">${traffic(service)}</span></td>
    <td class="number">${ready(service)}</td>
    <td class="why" dir="auto">${last(service)}</td>
  </tr>
`;

/** @param {Api.Schemas["ModelServiceResponse"]} service */
const last = ({ rollout }) =>
  rollout
    ? html`<b>${words(rollout.phase)}</b> version ${rollout.target}, ${time(rollout.since)}:
        ${rollout.reason}`
    : "–";
