/** Administration: projects, members with their roles, tokens. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import { ask } from "./dialog.js";
import { words } from "./format.js";
import "./members.js";
import { facts, freshness, heading, loading, Part } from "./parts.js";
import { permissions } from "./permissions.js";
import { Query } from "./query.js";
import "./tokens.js";

class Admin extends Part {
  static properties = { params: { attribute: false }, me: { attribute: false } };

  constructor() {
    super();
    this.params = new URLSearchParams();
    /** @type {Api.Schemas["MeResponse"] | null} */
    this.me = null;
    this.projects = new Query(this, async (signal) => (await get("/projects", {}, signal)).items, { every: 15_000 });
    this.allowed = permissions(this, ["createProject", "listTenantMembers"]);
  }

  render() {
    const { value } = this.projects;
    return html`
      <div class="title"><h1>Administration</h1><span class="quiet">tenant ${this.me.tenant}</span></div>
      ${freshness(this.projects, "The list of projects")} ${loading(this.projects)}
      ${value ? this.#projects(value) : nothing}
      ${this.allowed.may("listTenantMembers")
        ? html`<fl-members .scope=${"tenant"} .name=${this.me.tenant}></fl-members>`
        : nothing}
      <fl-tokens
        .me=${this.me}
        .all=${this.params.get("tokens") === "all"}
        .projects=${(value ?? []).map(({ name }) => name)}
      ></fl-tokens>
    `;
  }

  /** @param {Api.Schemas["ProjectResponse"][]} projects */
  #projects(projects) {
    const create = this.allowed.may("createProject")
      ? html`<button type="button" data-act="createProject" @click=${() => this.#create()}>Create a project</button>`
      : nothing;
    const count = html`<span class="count">${projects.length}</span>${create}`;
    return html`
      <section>
        ${heading("Projects", { path: "/projects" }, "fairlead project list", count)}
        ${projects.length
          ? html`<div class="scroll">
              <table class="capacity">
                <caption class="hidden">Projects</caption>
                <thead>
                  <tr>
                    <th scope="col">Project</th>
                    <th scope="col">Default queue</th>
                    <th scope="col">Cost centre</th>
                    <th scope="col">Namespace</th>
                    <th scope="col">Egress</th>
                    <th scope="col">Idle jobs</th>
                  </tr>
                </thead>
                <tbody>
                  ${projects.map(projectRow)}
                </tbody>
              </table>
            </div>`
          : html`<p class="quiet">You have no role in a project.</p>`}
      </section>
      <fl-action></fl-action>
    `;
  }

  #create() {
    ask(this, {
      title: "Create",
      subject: "project",
      name: "a project",
      effect: "A project owns jobs. Its name cannot be changed.",
      fields: [
        { name: "name", label: "Name, a DNS label of at most 40 characters" },
        { name: "defaultQueue", label: "Queue of jobs without a queue", value: "default", optional: true },
      ],
      call: (body) => ({ method: "POST", path: "/projects", body }),
      plan: ({ name, namespace, defaultQueue }) => html`
        <li>Project ${name} with the queue ${defaultQueue}</li>
        <li>Namespace ${namespace} on every Kubernetes cluster with its jobs</li>
      `,
      done: () => this.projects.refresh(true),
    });
  }
}
customElements.define("fl-admin", Admin);

/** @param {Api.Schemas["ProjectResponse"]} project */
const projectRow = (project) => html`<tr data-row>
  <td><a href=${`#/admin/${encodeURIComponent(project.name)}`} dir="auto">${project.name}</a></td>
  <td>${project.defaultQueue}</td>
  <td>${project.costCentre ?? "–"}</td>
  <td>${project.namespace}</td>
  <td>${egress(project)}</td>
  <td>${idle(project)}</td>
</tr>`;

/** @param {Api.Schemas["ProjectResponse"]} project */
const egress = ({ egress: { mode, cidrs } }) => `${words(mode)}${cidrs?.length ? `, ${cidrs.join(", ")}` : ""}`;

/** @param {Api.Schemas["ProjectResponse"]} project */
const idle = ({ idlePolicy: { mode, utilisationBelow, warnAfter, reclaimAfter } }) =>
  mode === "OFF"
    ? "off"
    : `${words(mode)} below ${utilisationBelow} %, warned after ${warnAfter}${reclaimAfter ? `, suspended after ${reclaimAfter}` : ""}`;

class ProjectPage extends Part {
  static properties = { project: {} };

  constructor() {
    super();
    this.project = "";
    this.main = new Query(this, (signal) => get(this.#path(), {}, signal), { every: 15_000 });
  }

  /** @returns {`/projects/${string}`} */
  #path() {
    return `/projects/${encodeURIComponent(this.project)}`;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("project") && this.hasUpdated) this.main.restart();
  }

  render() {
    const project = this.main.value;
    return html`
      <div class="title"><h1 dir="auto">${this.project}</h1></div>
      ${freshness(this.main, "The project")} ${loading(this.main)}
      ${project
        ? html`<section class="card">
              ${heading("Project", { path: this.#path() }, "fairlead project list")}
              ${facts([
                ["Id", html`<code>${project.id}</code>`],
                ["Default queue", project.defaultQueue],
                ["Cost centre", project.costCentre],
                ["Namespace", project.namespace],
                ["Egress", egress(project)],
                ["Idle jobs", idle(project)],
                ["Shows", links(project.name)],
              ])}
            </section>
            <fl-members .scope=${"project"} .name=${project.name}></fl-members>`
        : nothing}
    `;
  }
}
customElements.define("fl-project", ProjectPage);

/** @param {string} name of the project */
const links = (name) => html`
  <a href=${`#/jobs?${new URLSearchParams({ q: `project:${name}` })}`}>jobs</a>,
  <a href=${`#/services?${new URLSearchParams({ project: name })}`}>services</a>
`;
