/** Actions on a job, each with the plan that its dialog shows. */
import { html, nothing } from "lit";
import { ask } from "./dialog.js";
import { amount } from "./format.js";
import { badge } from "./parts.js";

/**
 * What each action does, as a button and in a sentence. PATCH and CHECKPOINT have no button here.
 *
 * @type {Record<string, {title: string, effect: string, destructive?: boolean, method?: string, path?: string}>}
 */
const ACTIONS = {
  resume: { title: "Resume", effect: "The job returns to its queue." },
  suspend: { title: "Suspend", effect: "The job stops, releases its GPUs and waits until it is resumed." },
  requeue: { title: "Requeue", effect: "The job stops and returns to its queue. No retry is spent." },
  cancel: { title: "Cancel", effect: "The job ends for good.", destructive: true },
  delete: {
    title: "Delete",
    effect: "The job, its attempts and its elements are removed.",
    destructive: true,
    method: "DELETE",
    path: "",
  },
};

/** Buttons for what the API allows now. @param {Api.Schemas["JobResponse"]} job @param {(name: string) => void} chosen */
export const shownActions = (job, chosen) =>
  job.actions
    .filter(({ name, allowed }) => allowed && ACTIONS[name])
    .map(
      ({ name }) => html`<button
        type="button"
        class=${ACTIONS[name].destructive ? "danger" : ""}
        @click=${() => chosen(name)}
      >
        ${ACTIONS[name].title}
      </button>`,
    );

/**
 * Stopping members loses the work since their last checkpoint: such an action asks for the name.
 *
 * @param {import("./parts.js").Part} page that holds a fl-action
 * @param {Api.Schemas["JobResponse"]} job
 * @param {string} action
 * @param {(job: any) => void} done
 */
export function chooseAction(page, job, action, done) {
  const { title, effect, destructive = false, method = "POST", path = `/${action}` } = ACTIONS[action];
  return ask(page, {
    title,
    effect,
    subject: "job",
    name: job.name,
    keep: "Keep the job",
    asks: destructive || job.gpus.allocated > 0,
    call: () => ({ method, path: `/jobs/${job.id}${path}` }),
    plan: (answer) => plan(job, answer),
    done,
  });
}

/** @param {Api.Schemas["JobResponse"]} job @param {Api.Schemas["JobResponse"] | null} answer */
function plan(job, answer) {
  const { nodes = [] } = job.placement ?? {};
  const held = job.gpus.allocated;
  return html`
    ${answer?.state
      ? html`<li>State ${badge(job.state)} → ${badge(answer.state)}</li>`
      : html`<li>The job can be deleted.</li>`}
    ${held
      ? html`<li>${amount(held)} GPUs on ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"} become free when the members have ended.</li>
          <li>Work since the last checkpoint is lost.</li>`
      : nothing}
  `;
}
