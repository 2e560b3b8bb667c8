/** Why a job waits, or why it failed: each reason with its numbers, and what would let it start. */
import { html, nothing } from "lit";
import { amount, duration, time, words } from "./format.js";
import { ENDED, facts, freshness, heading, loading, numbers } from "./parts.js";

/** What a class of reasons asks of whom. */
const CLASSES = {
  WAIT: "Waiting is enough",
  USER_ACTION: "The job has to change",
  ADMIN_ACTION: "An administrator has to act",
};

/**
 * @param {Api.Schemas["JobResponse"]} job
 * @param {import("./query.js").Query<Api.Schemas["ExplanationResponse"]>} query of the explanation
 */
export function reasons(job, query) {
  if (job.failure && ENDED.includes(job.state)) return failed(job);
  const why = query.value;
  const waits = job.state === "QUEUED" || job.state === "SUSPENDED";
  if (!waits && !why?.unreachable) return nothing;
  return html`
    <section class="card">
      ${heading("Why it waits", { path: `/jobs/${job.id}/explanation` }, `fairlead why ${job.id}`)}
      ${freshness(query, "The explanation")} ${loading(query)} ${why ? explanation(why) : nothing}
    </section>
  `;
}

/** @param {Api.Schemas["ExplanationResponse"]} why */
function explanation(why) {
  return html`
    <p class="lead">${why.message}</p>
    ${why.unreachable ? unreachable(why.unreachable) : nothing} ${facts(outlook(why))}
    ${why.blockers.length
      ? html`<h3>In the way</h3>
          <ol class="blockers">
            ${why.blockers.map(blocker)}
          </ol>`
      : nothing}
    ${nearMisses(why.nearMisses)} ${clusters(why.clusters)}
    ${why.computedAt ? html`<p class="quiet">Computed at ${time(why.computedAt)}.</p>` : nothing}
  `;
}

/** @param {Api.Schemas["BlockerResponse"]} found */
const blocker = (found) => html`<li data-class=${found.class}>
  <p>
    <a href=${`..${found.type}`}><b>${found.reason}</b></a>
    <span class="quiet">${words(found.scope.type)}${found.scope.name ? ` ${found.scope.name}` : ""} ·
      ${CLASSES[found.class]} · for ${since(found.firstSeen)}</span>
  </p>
  <p>${found.message}</p>
  <p>${numbers(found.numbers)}</p>
  ${found.action ? html`<p class="action">${found.action}</p>` : nothing}
</li>`;

/** @param {string} iso */
const since = (iso) => html`<span title=${iso}>${duration(Date.now() - Date.parse(iso))}</span>`;

/** @param {Api.Schemas["ExplanationResponse"]} why @returns {[string, unknown][]} */
function outlook({ position, estimate, expected, priority }) {
  /** @param {{p50?: string | null, p90?: string | null}} found */
  const range = (found) => html`${time(found.p50)} (p50), ${time(found.p90)} (p90)`;
  return [
    ["Position", position && `${position.rank} of ${position.total}, ${amount(position.gpusAhead)} GPUs ahead`],
    ["Start estimate", estimate && html`${range(estimate)} <span class="quiet">${estimate.assumption}</span>`],
    ["Expected start", expected && html`${range(expected)} <span class="quiet">from ${expected.starts} starts</span>`],
    ["Priority", priority && html`${priority.total} = ${priority.parts.map((part) => `${part.name} ${part.value}`).join(" + ")}`],
  ];
}

/** @param {Api.Schemas["ExplanationResponse"]["nearMisses"]} found */
const nearMisses = (found) =>
  found.length
    ? html`<h3>It would start with</h3>
        <table class="misses">
          <tbody>
            ${found.map(
              ({ change, effect }) => html`<tr>
                <td><code>${change.field}</code></td>
                <td><s>${change.from}</s> → <b>${change.to}</b></td>
                <td>${effect}</td>
              </tr>`,
            )}
          </tbody>
        </table>`
    : nothing;

/** @param {Api.Schemas["ExplanationResponse"]["clusters"]} found */
const clusters = (found) =>
  found.length
    ? html`<h3>Clusters</h3>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Cluster</th>
                <th scope="col">Flavor</th>
                <th scope="col" class="number">Nodes</th>
                <th scope="col">Refused or exhausted</th>
                <th scope="col">Best domain</th>
              </tr>
            </thead>
            <tbody>
              ${found.map(clusterRow)}
            </tbody>
          </table>
        </div>`
    : nothing;

/** @param {Api.Schemas["ClusterVerdict"]} found */
const clusterRow = (found) => html`<tr>
  <td>${found.cluster}${found.pool ? html` <span class="quiet">${found.pool}</span>` : nothing}</td>
  <td>${found.flavor}</td>
  <td class="number">${found.nodesEvaluated}</td>
  <td>${numbers(found.filtered)} ${numbers(found.exhausted)}</td>
  <td>${found.best ? `${found.best.domain} (${found.best.level}): ${found.best.fits} of ${found.best.needed} members fit` : "–"}</td>
</tr>`;

/** @param {NonNullable<Api.Schemas["ExplanationResponse"]["unreachable"]>} found */
const unreachable = (found) => html`<p class="notice warn">
  ${found.message}, since ${time(found.since)}. ${found.actions?.join(" ")}
</p>`;

/** @param {Api.Schemas["JobResponse"]} job */
function failed(job) {
  const { failure } = job;
  return html`
    <section class="card failed">
      ${heading("Why it ended", { path: `/jobs/${job.id}` }, `fairlead why ${job.id}`)}
      <p class="lead"><b>${failure.cause}</b> ${failure.message}</p>
      ${facts([
        ["Attempt", failure.attempt],
        ["Member", failure.member],
        ["Node", failure.node],
        ["GPU", failure.gpuSerial],
        ["Exit code", failure.exitCode],
        ["Right", failure.right && words(failure.right)],
      ])}
      ${failure.evidence?.length
        ? html`<h3>Evidence</h3>
            <ul>
              ${failure.evidence.map((line) => html`<li>${typeof line === "string" ? line : JSON.stringify(line)}</li>`)}
            </ul>`
        : nothing}
    </section>
  `;
}
