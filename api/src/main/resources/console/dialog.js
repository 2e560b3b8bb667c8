/** The dialog of every action: the API's dry run is shown first, then exactly that is done. */
import { html, nothing } from "lit";
import { address, send } from "./api.js";
import { copyable, Part } from "./parts.js";

/**
 * @typedef {{name: string, label: string, value?: string, options?: string[], optional?: boolean}} Field
 *   a field with options is a list of them
 * @typedef {Record<string, string>} Values of the fields, by name; an empty field is left out
 * @typedef {object} Act
 * @property {string} title such as "Cancel"
 * @property {string} subject such as "job"
 * @property {string} name of the object
 * @property {string} effect in a sentence
 * @property {string} [keep] the button that leaves the object alone
 * @property {(values: Values) => import("./api.js").Call & {body?: unknown, headers?: Record<string, string>}} call
 * @property {Field[]} [fields] the dry run needs them
 * @property {boolean} [asks] whether the name of the object has to be typed
 * @property {boolean} [validates] false when the API has no dry run for it
 * @property {boolean} [reasons] false when the API takes no reason for it
 * @property {(answer: any, values: Values) => unknown} plan what changes, from the dry run or from
 *   what was read
 * @property {(answer: any) => string} [secret] text that the API hands out only in this answer
 * @property {(answer: any) => void} done
 */

/** @param {Part} page that holds a fl-action @param {Act} act */
export const ask = (page, act) =>
  /** @type {ActionDialog} */ (page.querySelector("fl-action")).open(act);

class ActionDialog extends Part {
  static properties = {
    act: { state: true },
    plan: { state: true },
    problem: { state: true },
    typed: { state: true },
    sending: { state: true },
    ordered: { state: true },
    secret: { state: true },
  };

  constructor() {
    super();
    /** @type {Act | null} */
    this.act = null;
    /** @type {Values} */
    this.values = {};
    /** Whether the order is on its way: it cannot be taken back. */
    this.ordered = false;
  }

  /** Asks the API what would happen, and shows the answer. @param {Act} act */
  async open(act) {
    Object.assign(this, { act, values: {}, plan: null, problem: "", typed: "", sending: false, ordered: false, secret: "" });
    await this.updateComplete;
    this.querySelector("dialog").showModal();
    if (!act.fields) await this.#plan();
  }

  async #plan() {
    const { act } = this;
    if (act.validates === false) this.plan = { answer: null };
    else await this.#send({ validateOnly: true }, (answer) => (this.plan = { answer }));
  }

  /**
   * @param {Record<string, unknown>} more parameters
   * @param {(answer: any) => void} then
   * @param {boolean} [ordered]
   */
  async #send(more, then, ordered = false) {
    const { act, values } = this;
    const call = act.call(values);
    const current = () => act === this.act && (ordered || values === this.values);
    this.sending = true;
    this.ordered = ordered;
    this.problem = "";
    try {
      const answer = await send({ ...call, params: { ...call.params, ...more } });
      if (current()) then(answer);
      else if (ordered) act.done(answer);
    } catch (failure) {
      if (current()) this.problem = failure.message;
    }
    if (act === this.act) this.sending = this.ordered = false;
  }

  /** @param {SubmitEvent} event */
  async #confirmed(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    /** @param {string} name */
    const text = (name) => String(form.get(name) ?? "").trim();
    if (!this.plan) {
      const filled = this.act.fields.map(({ name }) => [name, text(name)]).filter(([, value]) => value);
      this.values = Object.fromEntries(filled);
      await this.#plan();
      return;
    }
    const { act } = this;
    const reason = act.reasons === false ? undefined : text("reason");
    const then = (answer) => {
      this.secret = act.secret?.(answer) ?? "";
      if (!this.secret) this.#close();
      act.done(answer);
    };
    await this.#send({ reason }, then, true);
  }

  #close() {
    this.querySelector("dialog").close();
  }

  /** A closed dialog forgets everything, a secret too. */
  #closed() {
    Object.assign(this, { act: null, plan: null, secret: "" });
  }

  render() {
    const { act } = this;
    if (!act) return html`<dialog></dialog>`;
    return html`
      <dialog
        aria-labelledby="action-title"
        class="action-dialog"
        @cancel=${(event) => this.ordered && event.preventDefault()}
        @close=${() => this.#closed()}
      >
        <h2 id="action-title">${act.title} ${act.name}</h2>
        ${this.secret ? this.#once() : this.#form(act)}
      </dialog>
    `;
  }

  #once() {
    return html`
      <p class="notice warn">This text is shown only once. Copy it now.</p>
      ${copyable(this.secret)}
      <p class="buttons"><button type="button" @click=${() => this.#close()}>Close</button></p>
    `;
  }

  /** @param {Act} act */
  #form(act) {
    const named = !act.asks || this.typed === act.name;
    const planned = this.plan !== null;
    const { method = "POST", path, params, body } = act.call(this.values);
    return html`
      <p>${act.effect}</p>
      <form @submit=${(event) => this.#confirmed(event)}>
        ${act.fields?.map((field) => this.#field(field))} ${this.#planned()}
        ${this.problem ? html`<p class="notice bad" role="alert">${this.problem}</p>` : nothing}
        ${planned && act.reasons !== false
          ? html`<label for="reason">Reason, for the audit (optional)</label>
              <input id="reason" name="reason" maxlength="500" autocomplete="off" />`
          : nothing}
        ${act.asks ? this.#confirmation(act) : nothing}
        <p class="buttons">
          <button type="button" ?disabled=${this.ordered} @click=${() => this.#close()}>${act.keep ?? "Change nothing"}</button>
          ${planned || !act.fields
            ? html`<button class="danger" ?disabled=${!named || !planned || this.sending}>
                ${act.title} the ${act.subject}
              </button>`
            : html`<button class="primary" ?disabled=${this.sending}>Show the plan</button>`}
        </p>
      </form>
      <p class="quiet">
        <code>${method} ${address({ path, params }).pathname}${address({ path, params }).search}</code>
        ${body ? html`<code>${JSON.stringify(body)}</code>` : nothing}
      </p>
    `;
  }

  /** A change of a field makes the plan void. @param {Field} field */
  #field({ name, label, value = "", options, optional }) {
    const id = `field-${name}`;
    const changed = () => Object.assign(this, { plan: null, values: {} });
    return html`
      <label for=${id}>${label}${optional ? " (optional)" : ""}</label>
      ${options
        ? html`<select id=${id} name=${name} @change=${changed}>
            ${options.map((option) => html`<option value=${option} ?selected=${option === value}>${option || "–"}</option>`)}
          </select>`
        : html`<input
            id=${id}
            name=${name}
            value=${value}
            ?required=${!optional}
            autocomplete="off"
            spellcheck="false"
            @input=${changed}
          />`}
    `;
  }

  /** @param {Act} act */
  #confirmation({ subject }) {
    return html`<label for="confirm">Type the name of the ${subject} to confirm</label>
      <input
        id="confirm"
        autocomplete="off"
        spellcheck="false"
        .value=${this.typed}
        @input=${(event) => (this.typed = event.target.value)}
      />`;
  }

  #planned() {
    if (this.plan) return html`<h3>Plan</h3><ul>${this.act.plan(this.plan.answer, this.values)}</ul>`;
    return this.problem || this.act.fields
      ? nothing
      : html`<p class="quiet" aria-busy="true">Asking for the plan…</p>`;
  }
}
customElements.define("fl-action", ActionDialog);
