package dev.fairlead.work.webhook.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.TenantDocuments;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.WebhookId;
import dev.fairlead.work.webhook.WebhookSignature;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Adds, shows, changes and removes the webhooks of a tenant and of its projects. */
@Service
public class Webhooks implements ConfigDocumentRevert<Webhook> {
  private static final TenantDocuments.Kind<Webhook> KIND =
      new TenantDocuments.Kind<>(
          Webhook.DOCUMENTS, Webhook::name, "Webhook", "webhooks", Webhook.MOST);

  private final Transactions transactions;
  private final WebhookStore store;
  private final TenantDocuments<Webhook> webhooks;
  private final TenantStore tenants;
  private final EventLog log;
  private final WebhookRounds sender;
  private final WebhookMessages messages;
  private final IdSource ids;
  private final InstantSource clock;

  public Webhooks(
      Transactions transactions,
      WebhookStore store,
      ConfigStore documents,
      TenantStore tenants,
      EventLog log,
      WebhookRounds sender,
      WebhookMessages messages,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.store = store;
    this.webhooks = new TenantDocuments<>(KIND, transactions, documents, audit);
    this.tenants = tenants;
    this.log = log;
    this.sender = sender;
    this.messages = messages;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * The settings of an owner.
   *
   * @param caData base64 of PEM certificates, or null for the trusted certificates of the system
   * @param types types of events, or empty for all
   */
  public record Request(String url, @Nullable String caData, SortedSet<String> types) {}

  /**
   * By name.
   *
   * @param project name, or null for the webhooks of the tenant itself
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<WebhookView> all(Actor actor, @Nullable String project) {
    Permissions.require(actor, "listWebhooks");
    ProjectId of = tenants.projectId(actor, project);
    return webhooks.all(actor).stream()
        .filter(each -> Objects.equals(each.project(), of))
        .flatMap(each -> store.find(actor.tenant(), each.name()).map(s -> view(each, s)).stream())
        .toList();
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public WebhookView one(Actor actor, @Nullable String project, String name) {
    Permissions.require(actor, "getWebhook");
    return transactions.read(() -> {
      ConfigDocument<Webhook> document = found(actor, project, name);
      return store
          .find(actor.tenant(), document.name())
          .map(state -> view(document, state))
          .orElseThrow(() -> webhooks.changed(name));
    });
  }

  /**
   * Adds a webhook, which receives later events, or changes the address and the filter of a
   * webhook.
   *
   * @param expected version that the caller has read, or null for any version and a new webhook
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), UNSAFE_ADDRESS, VERSION_MISMATCH,
   *     LIMIT_EXCEEDED above {@link Webhook#MOST} of a tenant or {@link Webhook#MOST_OF_ALL},
   *     UNAVAILABLE without a key file
   */
  public WebhookView put(
      Actor actor,
      @Nullable String project,
      String name,
      Request wanted,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, "putWebhook");
    refuseUnsafe(wanted);
    WebhookView view =
        webhooks.change(name, validateOnly, () -> stored(actor, project, name, wanted, expected));
    return validateOnly ? view.with(null) : view;
  }

  private WebhookView stored(
      Actor actor, @Nullable String project, String name, Request wanted, @Nullable Long expected) {
    ProjectId of = tenants.projectId(actor, project);
    String key = Webhook.document(actor.tenant(), of, name);
    Optional<ConfigDocument<Webhook>> old = webhooks.find(actor, key);
    WebhookId id = old.map(each -> each.value().id()).orElseGet(() -> new WebhookId(ids.next()));
    Webhook next = new Webhook(id, name, project, wanted.url(), wanted.caData(), wanted.types());
    ConfigDocument<Webhook> stored =
        webhooks.put(
            actor,
            "putWebhook",
            old.orElse(null),
            new ConfigDocument<>(Webhook.DOCUMENTS, key, actor.tenant(), of, next, 0),
            expected,
            detail(next));
    if (old.isPresent()) {
      return view(stored, state(actor, stored));
    }
    refuseTooManyOfAll();
    String secret = WebhookSignature.text(sender.secret(id, 1));
    WebhookState state = WebhookState.first(id, actor.tenant(), key, log.head(), clock.instant());
    store.insert(state);
    return WebhookView.of(stored, state, messages, secret);
  }

  private void refuseUnsafe(Request wanted) {
    String why = sender.refusal(wanted.url(), wanted.caData());
    if (why != null) {
      throw new Refusal(
          ProblemCode.UNSAFE_ADDRESS,
          "Fairlead does not send events to this address: " + why + ".",
          List.of(new FieldProblem("/url", ProblemCode.UNSAFE_ADDRESS, why, null)));
    }
  }

  private void refuseTooManyOfAll() {
    int all = store.all().size();
    if (all >= Webhook.MOST_OF_ALL) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "This installation has %d webhooks, the maximum.".formatted(all));
    }
  }

  /**
   * Removes a webhook with its failed deliveries.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void remove(
      Actor actor,
      @Nullable String project,
      String name,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, "deleteWebhook");
    ConfigDocument<Webhook> _ =
        webhooks.change(
            name,
            validateOnly,
            () -> {
              ConfigDocument<Webhook> old = found(actor, project, name);
              return webhooks.remove(actor, "deleteWebhook", old, expected, detail(old.value()));
            });
  }

  /**
   * The document of a webhook.
   *
   * @throws Refusal NOT_FOUND
   */
  ConfigDocument<Webhook> found(Actor actor, @Nullable String project, String name) {
    String key = Webhook.document(actor.tenant(), tenants.projectId(actor, project), name);
    return webhooks
        .find(actor, key)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Webhook \"%s\" of %s does not exist."
                    .formatted(name, project == null ? "the tenant" : "project " + project)));
  }

  WebhookState state(Actor actor, ConfigDocument<Webhook> document) {
    return store
        .locked(actor.tenant(), document.name())
        .orElseThrow(() -> webhooks.changed(document.value().name()));
  }

  WebhookView view(ConfigDocument<Webhook> document, WebhookState state) {
    return WebhookView.of(document, state, messages, null);
  }

  private static SortedMap<String, Object> detail(Webhook webhook) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("url", webhook.url());
    return detail;
  }

  @Override
  public ConfigType<Webhook> type() {
    return Webhook.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<Webhook>> stored(Actor actor, String name) {
    Permissions.require(actor, "getWebhook");
    return webhooks.find(actor, name);
  }

  /** Reverts address and filter. The webhook retains its id and its secret. */
  @Override
  public void restore(Actor actor, ConfigDocument<Webhook> document) {
    Permissions.require(actor, "putWebhook");
    Webhook to = document.value();
    refuseUnsafe(new Request(to.url(), to.caData(), to.types()));
    transactions.run(() -> {
      ConfigDocument<Webhook> now = stored(actor, document.name()).orElseThrow();
      Webhook next =
          new Webhook(now.value().id(), to.name(), to.project(), to.url(), to.caData(), to.types());
      ConfigDocument<Webhook> _ =
          webhooks.put(actor, "putWebhook", now, now.with(next), document.version(), detail(next));
    });
  }
}
