/** Actions on a job: the API's dry run is shown first, then exactly that is done. */
import { html, nothing } from "lit";
import { address, send } from "./api.js";
import { amount } from "./format.js";
import { badge, Part } from "./parts.js";

/** What each action does, as a button and in a sentence. PATCH and CHECKPOINT have no button here. */
const ACTIONS = {
  resume: { title: "Resume", effect: "The job waits for a place again." },
  suspend: { title: "Suspend", effect: "The job stops, gives its GPUs back and waits until it is resumed." },
  requeue: { title: "Requeue", effect: "The job stops and waits for a place again. No retry is spent." },
  cancel: { title: "Cancel", effect: "The job ends for good.", destructive: true },
  delete: {
    title: "Delete",
    effect: "The job, its attempts and its elements are removed.",
    destructive: true,
    method: "DELETE",
    path: "",
  },
};

/** Buttons for what the API allows now. @param {any} job @param {(name: string) => void} chosen */
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

/** @param {Part} page that holds a fl-action @param {any} job @param {string} name @param {(job: any) => void} done */
export const chooseAction = (page, job, name, done) =>
  page.querySelector("fl-action").open(job, name, done);

class ActionDialog extends Part {
  static properties = {
    plan: { state: true },
    problem: { state: true },
    typed: { state: true },
    sending: { state: true },
  };

  /** Asks the API what would happen, and shows the answer. */
  async open(job, name, done) {
    Object.assign(this, { job, name, done, plan: null, problem: "", typed: "", sending: true });
    await this.updateComplete;
    this.querySelector("dialog").showModal();
    await this.#send({ validateOnly: true }, (plan) => (this.plan = { state: plan?.state ?? null }));
  }

  #call() {
    const { method = "POST", path = `/${this.name}` } = ACTIONS[this.name];
    return { method, path: `/jobs/${this.job.id}${path}` };
  }

  async #send(params, then) {
    const { method, path } = this.#call();
    this.sending = true;
    this.problem = "";
    try {
      then(await send(path, params, method));
    } catch (failure) {
      this.problem = failure.message;
    }
    this.sending = false;
  }

  /** Stopping members loses the work since their last checkpoint. */
  #asksForName() {
    return ACTIONS[this.name].destructive || this.job.gpus.allocated > 0;
  }

  /** @param {SubmitEvent} event */
  async #confirmed(event) {
    event.preventDefault();
    const reason = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("reason")).trim();
    await this.#send({ reason }, (job) => {
      this.querySelector("dialog").close();
      this.done(job);
    });
  }

  render() {
    if (!this.job) return html`<dialog></dialog>`;
    const { title, effect } = ACTIONS[this.name];
    const named = !this.#asksForName() || this.typed === this.job.name;
    return html`
      <dialog aria-labelledby="action-title" class="action-dialog">
        <h2 id="action-title">${title} ${this.job.name}</h2>
        <p>${effect}</p>
        ${this.#plan()} ${this.problem ? html`<p class="notice bad" role="alert">${this.problem}</p>` : nothing}
        <form @submit=${(event) => this.#confirmed(event)}>
          <label for="reason">Reason, for the audit (optional)</label>
          <input id="reason" name="reason" maxlength="500" autocomplete="off" />
          ${this.#asksForName()
            ? html`<label for="confirm">Type the name of the job to confirm</label>
                <input
                  id="confirm"
                  autocomplete="off"
                  spellcheck="false"
                  .value=${this.typed}
                  @input=${(event) => (this.typed = event.target.value)}
                />`
            : nothing}
          <p class="buttons">
            <button type="button" @click=${() => this.querySelector("dialog").close()}>Keep the job</button>
            <button class="danger" ?disabled=${!named || !this.plan || this.sending}>${title} the job</button>
          </p>
        </form>
        <p class="quiet"><code>${this.#call().method} ${address(this.#call()).pathname}</code></p>
      </dialog>
    `;
  }

  #plan() {
    if (!this.plan) return this.problem ? nothing : html`<p class="quiet" aria-busy="true">Asking for the plan…</p>`;
    const { nodes = [] } = this.job.placement ?? {};
    const held = this.job.gpus.allocated;
    return html`
      <h3>Plan</h3>
      <ul>
        ${this.plan.state
          ? html`<li>State ${badge(this.job.state)} → ${badge(this.plan.state)}</li>`
          : html`<li>The job can be deleted.</li>`}
        ${held
          ? html`<li>${amount(held)} GPUs on ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"} become free when the members have ended.</li>
              <li>Work since the last checkpoint is lost.</li>`
          : nothing}
      </ul>
    `;
  }
}
customElements.define("fl-action", ActionDialog);
