package dev.fairlead.work.webhook.service;

import dev.fairlead.kernel.config.ConfigChanges;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Adds, shows, changes and removes the webhooks of a tenant and of its projects. */
@Service
public class Webhooks implements ConfigDocumentRevert<Webhook> {
  private final Transactions transactions;
  private final WebhookStore store;
  private final ConfigStore documents;
  private final ConfigChanges changes;
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
    this.documents = documents;
    this.changes = new ConfigChanges(documents, audit);
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
    ProjectId of = project(actor, project);
    return documents.all(Webhook.DOCUMENTS, actor.tenant()).stream()
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
          .orElseThrow(() -> changed(name));
    });
  }

  /**
   * Adds a webhook, which gets the events from now on, or changes its address and filter.
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
    AtomicReference<WebhookView> now = new AtomicReference<>();
    try {
      transactions.runOrTry(
          validateOnly, () -> now.set(stored(actor, project, name, wanted, expected)));
    } catch (Conflict raced) {
      throw changed(name);
    }
    WebhookView view = Objects.requireNonNull(now.get(), "the work was done");
    return validateOnly ? view.with(null) : view;
  }

  private WebhookView stored(
      Actor actor, @Nullable String project, String name, Request wanted, @Nullable Long expected) {
    ProjectId of = project(actor, project);
    String key = Webhook.document(actor.tenant(), of, name);
    ConfigDocument<Webhook> old =
        documents.find(Webhook.DOCUMENTS, actor.tenant(), key).orElse(null);
    if (expected != null && (old == null || old.version() != expected)) {
      throw changed(name);
    }
    WebhookId id = old == null ? new WebhookId(ids.next()) : old.value().id();
    Webhook next = new Webhook(id, name, project, wanted.url(), wanted.caData(), wanted.types());
    if (old != null) {
      ConfigDocument<Webhook> stored = change(actor, old, next);
      return view(stored, state(actor, stored));
    }
    refuseTooMany(actor);
    String secret = WebhookSignature.text(sender.secret(id, 1));
    ConfigDocument<Webhook> stored =
        changes.put(
            actor,
            "putWebhook",
            null,
            new ConfigDocument<>(Webhook.DOCUMENTS, key, actor.tenant(), of, next, 0),
            detail(next));
    WebhookState state = WebhookState.first(id, actor.tenant(), key, log.head(), clock.instant());
    store.insert(state);
    return WebhookView.of(stored, state, messages, secret);
  }

  private ConfigDocument<Webhook> change(Actor actor, ConfigDocument<Webhook> old, Webhook next) {
    return changes.put(actor, "putWebhook", old, old.with(next), detail(next));
  }

  private void refuseUnsafe(Request wanted) {
    String why = sender.refusal(wanted.url(), wanted.caData());
    if (why != null) {
      throw new Refusal(
          ProblemCode.UNSAFE_ADDRESS,
          "Events are not sent to this address: " + why + ".",
          List.of(new FieldProblem("/url", ProblemCode.UNSAFE_ADDRESS, why, null)));
    }
  }

  private void refuseTooMany(Actor actor) {
    int own = documents.all(Webhook.DOCUMENTS, actor.tenant()).size();
    int all = store.all().size();
    if (own >= Webhook.MOST || all >= Webhook.MOST_OF_ALL) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          own >= Webhook.MOST
              ? "The tenant has %d webhooks, the maximum. Remove one first.".formatted(own)
              : "This installation has %d webhooks, the maximum.".formatted(all));
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
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            ConfigDocument<Webhook> old = found(actor, project, name);
            if (expected != null && old.version() != expected) {
              throw changed(name);
            }
            changes.remove(actor, "deleteWebhook", old, detail(old.value()));
          });
    } catch (Conflict raced) {
      throw changed(name);
    }
  }

  /**
   * The document of a webhook.
   *
   * @throws Refusal NOT_FOUND
   */
  ConfigDocument<Webhook> found(Actor actor, @Nullable String project, String name) {
    String key = Webhook.document(actor.tenant(), project(actor, project), name);
    return documents
        .find(Webhook.DOCUMENTS, actor.tenant(), key)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no webhook \"%s\" of %s."
                    .formatted(name, project == null ? "the tenant" : "project " + project)));
  }

  WebhookState state(Actor actor, ConfigDocument<Webhook> document) {
    return store
        .locked(actor.tenant(), document.name())
        .orElseThrow(() -> changed(document.value().name()));
  }

  WebhookView view(ConfigDocument<Webhook> document, WebhookState state) {
    return WebhookView.of(document, state, messages, null);
  }

  private @Nullable ProjectId project(Actor actor, @Nullable String name) {
    return name == null
        ? null
        : tenants
            .projectNamed(actor.tenant(), name)
            .map(Project::id)
            .orElseThrow(
                () -> new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + name + "\"."));
  }

  private static SortedMap<String, Object> detail(Webhook webhook) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("url", webhook.url());
    return detail;
  }

  private static Refusal changed(String name) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "Webhook \"%s\" was changed since it was read. Read it again and repeat.".formatted(name));
  }

  @Override
  public ConfigType<Webhook> type() {
    return Webhook.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<Webhook>> stored(Actor actor, String name) {
    Permissions.require(actor, "getWebhook");
    return documents.find(Webhook.DOCUMENTS, actor.tenant(), name);
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
      ConfigDocument<Webhook> _ = change(actor, now, next);
    });
  }
}
