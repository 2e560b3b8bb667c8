/** GPU-hours by project, queue, user or model over a period, the budgets, and the cost of each month. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import { amount, percent, time, word, words } from "./format.js";
import { bar, freshness, heading, loading, Part } from "./parts.js";
import { Query } from "./query.js";

const GROUPS = ["project", "queue", "user", "pool", "model", "capacity"];
/** @type {[string, string][]} */
const PERIODS = [
  ["1d", "Day"],
  ["7d", "Week"],
  ["31d", "31 days"],
];
const MOST_ROWS = 100;

/**
 * Hours by group over all periods, most first.
 *
 * @param {Pick<Api.Schemas["UsageRowResponse"], "group" | "gpuHours" | "preliminary">[]} items
 * @param {string} by
 */
export function totals(items, by) {
  /** @type {Map<string, {key: string, hours: number, preliminary: boolean}>} */
  const rows = new Map();
  for (const { group, gpuHours, preliminary } of items) {
    const key = group[by] ?? "";
    const row = rows.get(key) ?? { key, hours: 0, preliminary: false };
    rows.set(key, { key, hours: row.hours + gpuHours, preliminary: row.preliminary || preliminary });
  }
  return [...rows.values()].sort((a, b) => b.hours - a.hours || (a.key < b.key ? -1 : 1));
}

class Usage extends Part {
  static properties = { params: { attribute: false }, allowed: { attribute: false } };

  constructor() {
    super();
    this.params = new URLSearchParams();
    /** @type {Record<string, string>} */
    this.allowed = {};
    this.usage = new Query(this, (signal) => this.#read(signal), { every: 60_000 });
    this.budgets = new Query(this, async (signal) => (await get("/budgets", {}, signal)).items, { every: 30_000 });
    this.statements = new Query(this, (signal) => this.#months(signal), { every: 60_000 });
  }

  #by() {
    const by = this.params.get("by") ?? "project";
    return GROUPS.includes(by) ? by : "project";
  }

  #from() {
    const from = this.params.get("from");
    return PERIODS.some(([period]) => period === from) ? from : "7d";
  }

  /** @returns {import("./api.js").Call & {path: "/usage"}} */
  #call() {
    return { path: "/usage", params: { by: this.#by(), period: "DAY", from: this.#from() } };
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const { path, params } = this.#call();
    return (await get(path, params, signal)).items;
  }

  /** Months with use or cost, and the month that may still change. @param {AbortSignal} signal */
  async #months(signal) {
    if (!this.allowed.listStatements) return [];
    const { items } = await get("/statements", {}, signal);
    return items.filter(({ preliminary, totals: { used, amounts } }) => preliminary || used.gpuHours > 0 || amounts.length);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const rights = changed.get("allowed");
    if (rights && this.hasUpdated && JSON.stringify(rights) !== JSON.stringify(this.allowed)) this.statements.restart();
    const before = changed.get("params");
    if (before && this.hasUpdated && String(before) !== String(this.params)) this.usage.restart();
  }

  /** @param {string} name @param {string} value of the address */
  #go(name, value) {
    const params = new URLSearchParams(this.params);
    params.set(name, value);
    location.hash = `#/usage?${params}`;
  }

  render() {
    /** @param {[string, string]} period */
    const period = ([value, text]) => html`<button
      type="button"
      aria-pressed=${this.#from() === value}
      @click=${() => this.#go("from", value)}
    >
      ${text}
    </button>`;
    return html`
      <div class="title">
        <h1>Usage</h1>
        <div class="group" role="group" aria-label="Period">${PERIODS.map(period)}</div>
        <label for="by">by</label>
        <select id="by" @change=${(event) => this.#go("by", event.target.value)}>
          ${GROUPS.map((by) => html`<option value=${by} ?selected=${by === this.#by()}>${by}</option>`)}
        </select>
      </div>
      ${freshness(this.usage, "The use of GPUs")} ${loading(this.usage)} ${this.#hours()}
      ${freshness(this.budgets, "The list of budgets")} ${this.#budgets()}
      ${freshness(this.statements, "The list of statements")} ${this.#statements()}
    `;
  }

  #hours() {
    const items = this.usage.value;
    if (!items) return nothing;
    const rows = totals(items, this.#by());
    const sum = rows.reduce((all, row) => all + row.hours, 0);
    const most = rows[0]?.hours ?? 0;
    const cli = `fairlead usage --by ${word(this.#by())} --period day --since ${word(this.#from())}`;
    return html`
      <section>
        ${heading("GPU-hours", this.#call(), cli, html`<span class="count">${amount(sum)}</span>`)}
        ${rows.length
          ? html`<div class="scroll">
              <table class="capacity">
                <caption class="hidden">GPU-hours by ${this.#by()}</caption>
                <thead>
                  <tr>
                    <th scope="col">${words(this.#by())}</th>
                    <th scope="col" class="use"><span class="hidden">Share</span></th>
                    <th scope="col" class="number">GPU-hours</th>
                    <th scope="col" class="number">Part</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows.slice(0, MOST_ROWS).map((row) => hoursRow(row, sum, most))}
                </tbody>
              </table>
            </div>`
          : html`<p class="quiet">No GPU was used in this period.</p>`}
        ${rows.length > MOST_ROWS
          ? html`<p class="quiet">${rows.length - MOST_ROWS} more: <code>${cli}</code></p>`
          : nothing}
      </section>
    `;
  }

  #budgets() {
    const budgets = this.budgets.value;
    if (!budgets?.length) return nothing;
    return html`
      <section>
        ${heading("Budgets", { path: "/budgets" }, "fairlead budget list")}
        <div class="scroll">
          <table class="capacity">
            <caption class="hidden">Budgets</caption>
            <thead>
              <tr>
                <th scope="col">Budget</th>
                <th scope="col">Of</th>
                <th scope="col">Spent and reserved</th>
                <th scope="col" class="number">Left</th>
                <th scope="col" class="number">Limit</th>
                <th scope="col">Mode</th>
                <th scope="col">Runs out</th>
                <th scope="col">Ends</th>
              </tr>
            </thead>
            <tbody>${budgets.map(budgetRow)}</tbody>
          </table>
        </div>
      </section>
    `;
  }

  #statements() {
    const months = this.statements.value;
    if (!months?.length) return nothing;
    return html`
      <section>
        ${heading("Statements", { path: "/statements" }, "fairlead statement list")}
        <div class="scroll">
          <table class="capacity">
            <caption class="hidden">Use and cost of each month</caption>
            <thead>
              <tr>
                <th scope="col">Month, in UTC</th>
                <th scope="col" class="number">GPU-hours</th>
                <th scope="col" class="number">Without a price</th>
                <th scope="col" class="number">Cost</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>${months.map(monthRow)}</tbody>
          </table>
        </div>
      </section>
    `;
  }
}
customElements.define("fl-usage", Usage);

/** @param {Api.Schemas["StatementSummary"]} statement */
const monthRow = ({ month, totals: { used, withoutCost, amounts }, signed, preliminary }) => html`<tr data-row>
  <td>${month}</td>
  <td class="number">${amount(used.gpuHours)}</td>
  <td class="number">${amount(withoutCost.gpuHours)}</td>
  <td class="number">${amounts.map((sum) => `${amount(sum.amount)} ${sum.currency}`).join(", ") || "–"}</td>
  <td>${signed ? html`signed by ${signed.by} ${time(signed.at)}` : preliminary ? "may still change" : "complete"}</td>
</tr>`;

/** @param {ReturnType<typeof totals>[0]} row @param {number} sum @param {number} most */
const hoursRow = ({ key, hours, preliminary }, sum, most) => html`
  <tr data-row>
    <td dir="auto">${key || "–"}${preliminary ? html` <span class="chip">not final</span>` : nothing}</td>
    <td class="use">
      ${bar([
        { kind: "allocated", share: hours, label: `${amount(hours)} GPU-hours` },
        { kind: "free", share: most - hours, label: "" },
      ])}
    </td>
    <td class="number">${amount(hours)}</td>
    <td class="number">${percent(hours, sum)}%</td>
  </tr>
`;

/** @param {Api.Schemas["BudgetResponse"]} budget */
function budgetRow({ name, project, queue, user, mode, current }) {
  const { spent, reserved, left, limit, runsOutAt, to } = current;
  return html`
    <tr data-row>
      <td dir="auto">${name}</td>
      <td dir="auto">${[project, queue, user].filter(Boolean).join(", ") || "tenant"}</td>
      <td class="use">
        ${bar([
          { kind: "allocated", share: spent, label: `${amount(spent)} spent` },
          { kind: "starting", share: reserved, label: `${amount(reserved)} reserved` },
          { kind: "free", share: Math.max(0, left), label: `${amount(left)} left` },
        ])}
        ${percent(spent + reserved, limit)}%
      </td>
      <td class="number">${amount(left)}</td>
      <td class="number">${amount(limit)}</td>
      <td>${mode}</td>
      <td>${runsOutAt ? time(runsOutAt) : "–"}</td>
      <td>${time(to)}</td>
    </tr>
  `;
}
