/** Members of a tenant or a project with their roles; changes are offered to who may make them. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import { ask } from "./dialog.js";
import { time } from "./format.js";
import { freshness, heading, loading, Part } from "./parts.js";
import { permissions } from "./permissions.js";
import { Query } from "./query.js";

/** What differs between members of a tenant and of a project. */
const SCOPES = {
  tenant: {
    put: "putTenantMember",
    remove: "removeTenantMember",
    roles: ["tenant-viewer", "tenant-member", "tenant-owner"],
    remains: "Its roles in projects remain.",
  },
  project: {
    put: "putProjectMember",
    remove: "removeProjectMember",
    roles: ["project-viewer", "project-member", "project-owner"],
    remains: "A role in the tenant remains.",
  },
};

class Members extends Part {
  static properties = { scope: {}, name: {} };

  constructor() {
    super();
    /** @type {"tenant" | "project"} */
    this.scope = "project";
    this.name = "";
    this.members = new Query(this, async (signal) => (await get(this.#path(), {}, signal)).items, { every: 15_000 });
    const operations = Object.values(SCOPES).flatMap(({ put, remove }) => [put, remove]);
    this.allowed = permissions(this, operations, () => (this.scope === "project" ? this.name : null));
  }

  /** @returns {`/tenants/${string}/members` | `/projects/${string}/members`} */
  #path() {
    return `/${this.scope}s/${encodeURIComponent(this.name)}/members`;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!this.hasUpdated || !(changed.has("scope") || changed.has("name"))) return;
    this.members.restart();
    this.allowed.restart();
  }

  render() {
    const members = this.members.value;
    const more = this.scope === "project" ? ` --project ${this.name}` : "";
    const { put } = SCOPES[this.scope];
    const add = this.allowed.may(put)
      ? html`<button type="button" data-act=${put} @click=${() => this.#put(null)}>Add a member</button>`
      : nothing;
    return html`
      <section>
        ${heading(
          `Members of the ${this.scope}`,
          { path: this.#path() },
          `fairlead tenant member list${more}`,
          html`<span class="count">${members?.length ?? ""}</span>${add}`,
        )}
        ${freshness(this.members, "The list of members")} ${loading(this.members)}
        ${members?.length ? this.#table(members) : nothing}
        ${members?.length === 0 ? html`<p class="quiet">Nobody has a role in this ${this.scope}.</p>` : nothing}
      </section>
      <fl-action></fl-action>
    `;
  }

  /** @param {Api.Schemas["TenantMemberResponse"][]} members */
  #table(members) {
    return html`
      <div class="scroll">
        <table class="capacity">
          <caption class="hidden">Members of the ${this.scope}</caption>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Role</th>
              <th scope="col">Since</th>
              <th scope="col">Added by</th>
              <th scope="col"><span class="hidden">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            ${members.map((member) => this.#row(member))}
          </tbody>
        </table>
      </div>
    `;
  }

  /** @param {Api.Schemas["TenantMemberResponse"]} member */
  #row(member) {
    const { put, remove } = SCOPES[this.scope];
    const button = (operation, text, chosen) =>
      this.allowed.may(operation)
        ? html`<button type="button" data-act=${operation} @click=${chosen}>${text}<span class="hidden"> ${member.user}</span></button> `
        : nothing;
    return html`<tr data-row>
      <td><a href=${`#/jobs?${new URLSearchParams({ q: `user:${member.user}` })}`} dir="auto">${member.user}</a></td>
      <td>${member.role}</td>
      <td>${time(member.createdAt)}</td>
      <td>${member.createdBy}</td>
      <td class="number">
        ${button(put, "Change the role", () => this.#put(member))}${button(remove, "Remove", () => this.#remove(member))}
      </td>
    </tr>`;
  }

  /** @param {Api.Schemas["TenantMemberResponse"] | null} member null for a new one */
  #put(member) {
    const { roles } = SCOPES[this.scope];
    const user = { name: "user", label: "Person, or sa: and the name of a service account" };
    const role = { name: "role", label: "Role", options: roles, value: member?.role ?? roles[1] };
    ask(this, {
      title: member ? "Change the role of" : "Add",
      subject: "member",
      name: member?.user ?? `a member to ${this.name}`,
      effect: "The role applies to the tokens of the member within 5 seconds.",
      fields: member ? [role] : [user, role],
      call: (values) => ({
        method: "PUT",
        path: `${this.#path()}/${encodeURIComponent(member?.user ?? values.user ?? "")}`,
        body: { role: values.role },
        headers: member ? match(member) : {},
      }),
      plan: (after) => {
        const before = this.members.value?.find(({ user: known }) => known === after.user);
        return html`<li>${after.user}: ${before?.role ?? "no role here"} → ${after.role}</li>`;
      },
      done: () => this.members.refresh(true),
    });
  }

  /** @param {Api.Schemas["TenantMemberResponse"]} member */
  #remove(member) {
    ask(this, {
      title: "Remove",
      subject: "member",
      name: member.user,
      effect: `${member.user} loses the role ${member.role} in ${this.name}, and its tokens lose it within 5 seconds. ${SCOPES[this.scope].remains}`,
      keep: "Keep the member",
      asks: true,
      call: () => ({ method: "DELETE", path: `${this.#path()}/${encodeURIComponent(member.user)}`, headers: match(member) }),
      plan: () => html`<li>${member.user}: ${member.role} → no role here</li>`,
      done: () => this.members.refresh(true),
    });
  }
}
customElements.define("fl-members", Members);

/** Refuses the change when somebody else has changed the member since it was read. @param {Api.Schemas["TenantMemberResponse"]} member */
const match = ({ version }) => ({ "If-Match": `"${version}"` });
