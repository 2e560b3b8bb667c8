/** The quota tree: GPUs used, guaranteed, borrowed and lent by each queue, and the demand that waits. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import { amount } from "./format.js";
import { bar, freshness, heading, loading, Part } from "./parts.js";
import { Query } from "./query.js";
import "./shares.js";

const INDENT_PX = 18;

/**
 * Nodes of the tree below their parents, with their depth. A node whose parent is not visible to the
 * caller is a root.
 *
 * @param {Api.Schemas["QuotaResponse"][]} nodes
 * @returns {{node: Api.Schemas["QuotaResponse"], depth: number}[]}
 */
function tree(nodes) {
  const names = new Set(nodes.map((node) => node.name));
  /** @type {(parent: string | null, depth: number) => {node: Api.Schemas["QuotaResponse"], depth: number}[]} */
  const below = (parent, depth) =>
    nodes
      .filter((node) => (names.has(node.parent) ? node.parent : null) === parent)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((node) => [{ node, depth }, ...below(node.name, depth + 1)]);
  return below(null, 0);
}

/**
 * GPUs of a node by flavor, with its limit and its use.
 *
 * @param {Api.Schemas["QuotaResponse"]} node
 * @returns {{flavor: string, nominal: number | null, used: number, borrowed: number, lent: number,
 *   pending: number, share: number | null}[]} nominal is null if there is no limit
 */
function flavors({ limits, usage }) {
  const rows = new Map();
  const row = (flavor) => {
    if (!rows.has(flavor)) {
      rows.set(flavor, { flavor, nominal: null, used: 0, borrowed: 0, lent: 0, pending: 0, share: null });
    }
    return rows.get(flavor);
  };
  for (const { flavor, resource, nominal } of limits) {
    if (resource === "gpu") row(flavor).nominal = Number(nominal);
  }
  for (const { flavor, resource, ...numbers } of usage) {
    if (resource !== "gpu") continue;
    const { used, borrowed, lent, pending, share } = numbers;
    Object.assign(row(flavor), { used: +used, borrowed: +borrowed, lent: +lent, pending: +pending, share });
  }
  return [...rows.values()].sort((a, b) => (a.flavor < b.flavor ? -1 : 1));
}

class Quotas extends Part {
  constructor() {
    super();
    this.nodes = new Query(this, async (signal) => (await get("/quotas", {}, signal)).items, { every: 10_000 });
  }

  render() {
    return html`
      <div class="title"><h1>Quota</h1></div>
      ${freshness(this.nodes, "The quota tree")} ${loading(this.nodes)} ${this.#table()}
      <fl-shares></fl-shares>
    `;
  }

  #table() {
    if (!this.nodes.value) return nothing;
    return html`
      <section>
        ${heading("GPUs by queue and flavor", { path: "/quotas" }, "fairlead quota list")}
        <div class="scroll">
          <table class="capacity">
            <caption class="hidden">Quota tree</caption>
            <thead>
              <tr>
                <th scope="col">Queue or group</th>
                <th scope="col">Flavor</th>
                <th scope="col">Use of the quota</th>
                <th scope="col" class="number">Used</th>
                <th scope="col" class="number">Quota</th>
                <th scope="col" class="number">Borrowed</th>
                <th scope="col" class="number">Lent</th>
                <th scope="col" class="number">Waiting</th>
                <th scope="col" class="number">Weight</th>
                <th scope="col" class="number">Share</th>
              </tr>
            </thead>
            <tbody>
              ${tree(this.nodes.value).map(({ node, depth }) => rows(node, depth))}
            </tbody>
          </table>
        </div>
        <p class="quiet">
          Share is the dominant share that fair sharing compares. A queue with a lower share starts its jobs
          first.
        </p>
      </section>
    `;
  }
}
customElements.define("fl-quotas", Quotas);

/** @param {Api.Schemas["QuotaResponse"]} node @param {number} depth */
function rows(node, depth) {
  const found = flavors(node);
  return (found.length ? found : [null]).map((flavor, index) => row(node, depth, flavor, index === 0));
}

/**
 * @typedef {ReturnType<typeof flavors>[0]} Use of a flavor
 *
 * @param {Api.Schemas["QuotaResponse"]} node
 * @param {number} depth
 * @param {Use | null} flavor null for a node without GPUs
 * @param {boolean} first of the node
 */
const row = (node, depth, flavor, first) => html`
  <tr ?data-row=${first}>
    <td .style=${`padding-left:${12 + depth * INDENT_PX}px`}>${first ? name(node) : nothing}</td>
    <td>${flavor?.flavor ?? "–"}</td>
    <td class="use">${flavor ? use(flavor) : "–"}</td>
    <td class="number">${amount(flavor?.used)}</td>
    <td class="number">${flavor && flavor.nominal === null ? "no limit" : amount(flavor?.nominal)}</td>
    <td class="number">${amount(flavor?.borrowed)}</td>
    <td class="number">${amount(flavor?.lent)}</td>
    <td class="number">${amount(flavor?.pending)}</td>
    <td class="number">${first ? amount(node.weight) : ""}</td>
    <td class="number">${amount(flavor?.share)}</td>
  </tr>
`;

/** @param {Api.Schemas["QuotaResponse"]} node */
const name = (node) =>
  node.queue
    ? html`<a href=${`#/jobs?q=${encodeURIComponent(`queue:${node.name}`)}`} dir="auto">${node.name}</a>
        ${node.queue.state === "ACTIVE" ? nothing : html`<span class="chip">${node.queue.state}</span>`}`
    : html`<b dir="auto">${node.name}</b>`;

/** @param {Use} flavor */
function use({ nominal, used, borrowed, pending }) {
  const own = used - borrowed;
  const free = Math.max(0, (nominal ?? 0) - own);
  return bar([
    { kind: "allocated", share: own, label: `${amount(own)} of the own quota used` },
    { kind: "foreign", share: borrowed, label: `${amount(borrowed)} borrowed` },
    { kind: "free", share: free, label: `${amount(free)} of the own quota free` },
    { kind: "queued", share: pending, label: `${amount(pending)} waiting` },
  ]);
}
