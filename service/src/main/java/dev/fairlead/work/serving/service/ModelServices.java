package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.ConfigWriter;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceOwner;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Applies, shows, rolls out and deletes the model services of projects. */
@Service
public class ModelServices implements ConfigDocumentRevert<ModelService> {
  private static final String PUT = "putModelService";
  private final Transactions transactions;
  private final ServingStore store;
  private final ConfigStore documents;
  private final ConfigWriter changes;
  private final TenantStore tenants;
  private final JobSubmits submits;
  private final ReplicaWatch watch;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;
  private final ServicePlans plans;

  public ModelServices(
      Transactions transactions,
      ServingStore store,
      ConfigStore documents,
      TenantStore tenants,
      JobSubmits submits,
      ReplicaWatch watch,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.store = store;
    this.documents = documents;
    this.changes = new ConfigWriter(documents, audit);
    this.tenants = tenants;
    this.submits = submits;
    this.watch = watch;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
    this.plans = new ServicePlans(store, watch);
  }

  public record Name(String project, String service) {}

  /**
   * By name.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<ModelServiceView> all(Actor actor, String project) {
    Permissions.require(actor, "listModelServices");
    return transactions.read(() -> {
      ProjectId of = tenants.project(actor, project).id();
      return of(actor, of).stream()
          .flatMap(each -> store.find(actor.tenant(), each.name()).map(s -> view(each, s)).stream())
          .toList();
    });
  }

  private List<ConfigDocument<ModelService>> of(Actor actor, ProjectId project) {
    return documents.all(ModelService.DOCUMENTS, actor.tenant()).stream()
        .filter(each -> project.equals(each.project()))
        .toList();
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public ModelServiceView one(Actor actor, Name name) {
    Permissions.require(actor, "getModelService");
    return transactions.read(() -> {
      ConfigDocument<ModelService> document = found(actor, name);
      return view(document, state(actor, document));
    });
  }

  /**
   * Adds a service, or changes its settings. A different job than the job of the newest version is
   * a new version, and its rollout replaces an open rollout.
   *
   * @param expected version of the settings that the caller has read, or null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), VERSION_MISMATCH, NAME_IN_USE for the route of
   *     another service, ILLEGAL_STATE while it is deleted or an object owns it, LIMIT_EXCEEDED
   *     above {@link ModelService#MOST} of a project or {@link ServiceVersion#MOST}, and the
   *     problems of a submit of its job
   */
  public ModelServiceView put(
      Actor actor,
      Name name,
      AppliedService wanted,
      @Nullable Long expected,
      boolean validateOnly) {
    return put(actor, name, wanted, null, expected, trial(validateOnly));
  }

  /**
   * Does the same as {@link #put(Actor, Name, AppliedService, Long, boolean)} for an object that
   * owns the service.
   *
   * @param owner the object, null for users
   * @param in runs the change in a transaction
   * @throws Refusal also NAME_IN_USE for the service of another owner
   */
  ModelServiceView put(
      Actor actor,
      Name name,
      AppliedService wanted,
      @Nullable ServiceOwner owner,
      @Nullable Long expected,
      Consumer<Runnable> in) {
    Permissions.require(actor, PUT);
    submits.checkNested(actor, name.project(), wanted.job().named("", wanted.job().queue()));
    ServiceRefusals.requireMetric(wanted.scale().scale(), wanted.job());
    ServiceRefusals.requireFeatures(wanted.options(), transactions.read(watch::clusters));
    return ServiceChanges.changed(
        name,
        in,
        () -> {
          ProjectId project = tenants.project(actor, name.project()).id();
          String key = ModelService.document(project, name.service());
          ConfigDocument<ModelService> old =
              documents.find(ModelService.DOCUMENTS, actor.tenant(), key).orElse(null);
          if (expected != null && (old == null || old.version() != expected)) {
            throw ServiceRefusals.mismatch(name);
          }
          if (old == null) {
            return added(actor, project, key, wanted.settings(id(), name).withOwner(owner), wanted);
          }
          ServiceRefusals.requireOwner(old.value(), owner);
          return applied(actor, PUT, old, wanted, owner);
        });
  }

  private ModelServiceId id() {
    return new ModelServiceId(ids.next());
  }

  private ModelServiceView added(
      Actor actor, ProjectId project, String key, ModelService service, AppliedService wanted) {
    if (of(actor, project).size() >= ModelService.MOST) {
      throw ServiceRefusals.full(service.project());
    }
    ConfigDocument<ModelService> stored =
        changes.put(
            actor,
            PUT,
            null,
            new ConfigDocument<>(ModelService.DOCUMENTS, key, actor.tenant(), project, service, 0),
            ServiceChanges.detail(1));
    ServiceState first = ServiceState.first(service.id(), actor.tenant(), key, service.route());
    store.insert(first);
    store.insert(actor.tenant(), version(actor, service, 1, wanted));
    return view(stored, first);
  }

  private ServiceVersion version(
      Actor actor, ModelService service, int number, AppliedService wanted) {
    return new ServiceVersion(
        service.id(), number, wanted.job(), actor.name(), clock.instant(), wanted.endpoint());
  }

  private ModelServiceView applied(
      Actor actor,
      String operation,
      ConfigDocument<ModelService> old,
      AppliedService wanted,
      @Nullable ServiceOwner owner) {
    ModelService was = old.value();
    ModelService service =
        wanted.settings(was.id(), new Name(was.project(), was.name())).withOwner(owner);
    ServiceState state = usable(actor, old);
    boolean same =
        store.version(actor.tenant(), was.id(), state.latest()).filter(wanted::same).isPresent();
    ServiceState routed =
        service.route().equals(state.route()) ? state : stored(state.routed(service.route()));
    ServiceState next = routed;
    if (!same) {
      if (store.countVersions(actor.tenant(), was.id()) >= ServiceVersion.MOST) {
        throw ServiceRefusals.tooManyVersions(was);
      }
      next = stored(routed.released(clock.instant()));
      store.insert(actor.tenant(), version(actor, was, next.latest(), wanted));
    }
    ConfigDocument<ModelService> stored =
        changes.put(actor, operation, old, old.with(service), ServiceChanges.detail(next.latest()));
    return view(stored, next);
  }

  private ServiceState stored(ServiceState next) {
    store.update(next);
    return next;
  }

  /**
   * Changes the numbers of replicas of a service.
   *
   * @param expected version of the settings that the caller has read
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, ILLEGAL_STATE while it is deleted
   */
  public ModelServiceView scale(
      Actor actor, Name name, AppliedService.Scale to, long expected, boolean validateOnly) {
    String operation = "updateModelService";
    Permissions.require(actor, operation);
    ModelService now =
        transactions.read(() -> {
          ConfigDocument<ModelService> document = found(actor, name);
          int latest = state(actor, document).latest();
          store
              .version(actor.tenant(), document.value().id(), latest)
              .ifPresent(version -> ServiceRefusals.requireMetric(to.scale(), version.job()));
          return document.value();
        });
    ModelService next =
        now.scaled(to.minReplicas(), to.maxReplicas(), to.scale(), to.floors(), to.idleAfter());
    return set(actor, operation, next, expected, validateOnly);
  }

  /**
   * Changes the open rollout.
   *
   * @param version target of the rollout that the caller has seen
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE without an open rollout to this version
   */
  public ModelServiceView order(
      Actor actor, RolloutOrder order, Name name, int version, boolean validateOnly) {
    return ordered(
        actor,
        order.operation(),
        name,
        validateOnly,
        (state, now) -> order.change().next(state, version, actor.name(), now));
  }

  /**
   * Moves all traffic to an earlier version as soon as its replicas are ready.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (service or version)
   */
  public ModelServiceView rollback(Actor actor, Name name, int version, boolean validateOnly) {
    return ordered(
        actor,
        "rollbackModelService",
        name,
        validateOnly,
        (state, now) -> {
          if (store.version(actor.tenant(), state.id(), version).isEmpty()) {
            throw ServiceRefusals.missing(name, version);
          }
          return state.rolledBack(version, now);
        });
  }

  /**
   * Starts a replica of a service that sleeps. A service that is awake stays awake for its whole
   * {@code idleAfter}, and nothing changes for a service that never sleeps.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE while it is deleted
   */
  public ModelServiceView wake(Actor actor, Name name, boolean validateOnly) {
    return ordered(
        actor,
        "wakeModelService",
        name,
        validateOnly,
        (state, now) -> state.woken(now, "woken by " + actor.name()));
  }

  private ModelServiceView ordered(
      Actor actor,
      String operation,
      Name name,
      boolean validateOnly,
      BiFunction<ServiceState, Instant, ServiceState> order) {
    Permissions.require(actor, operation);
    return ServiceChanges.changed(
        name,
        trial(validateOnly),
        () -> {
          ConfigDocument<ModelService> document = found(actor, name);
          ServiceState state = usable(actor, document);
          ServiceState ordered = order.apply(state, clock.instant());
          ServiceState next = plans.ordered(document.value(), state, ordered);
          audit(actor, operation, document, ServiceChanges.detail(state, next));
          return view(document, next);
        });
  }

  private void audit(
      Actor actor,
      String operation,
      ConfigDocument<ModelService> document,
      SortedMap<String, Object> detail) {
    audit.append(new AuditRecord(actor, operation, document.name(), true, detail));
  }

  /**
   * Stops all replicas, and removes the service when they have ended. An object that owns the
   * service creates it again.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public void remove(Actor actor, Name name, boolean validateOnly) {
    remove(actor, name, service -> true, trial(validateOnly));
  }

  /**
   * Does the same as {@link #remove(Actor, Name, boolean)} in a transaction of the caller.
   *
   * @param which services. A newer service with the same name remains
   */
  void remove(Actor actor, Name name, Predicate<ModelService> which, Consumer<Runnable> in) {
    Permissions.require(actor, "deleteModelService");
    ModelServiceView _ =
        ServiceChanges.changed(
            name,
            in,
            () -> {
              ConfigDocument<ModelService> document = found(actor, name);
              ServiceState state = state(actor, document);
              if (!which.test(document.value())) {
                return view(document, state);
              }
              ServiceState next = state.deleting() ? state : stored(state.deleted());
              audit(actor, "deleteModelService", document, ServiceChanges.detail(next.stable()));
              return view(document, next);
            });
  }

  /**
   * Versions of a service, the newest first.
   *
   * @param before only versions with a smaller number
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<ServiceVersion> versions(Actor actor, Name name, int before, int limit) {
    Permissions.require(actor, "listModelServiceVersions");
    return transactions.read(
        () -> store.versions(actor.tenant(), found(actor, name).value().id(), before, limit));
  }

  /**
   * Deletes a version that has no traffic.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (service or version), ILLEGAL_STATE while the version
   *     serves, has replicas or is the newest
   */
  public void deleteVersion(Actor actor, Name name, int version, boolean validateOnly) {
    Permissions.require(actor, "deleteModelServiceVersion");
    ModelServiceView _ =
        ServiceChanges.changed(
            name,
            trial(validateOnly),
            () -> {
              ConfigDocument<ModelService> document = found(actor, name);
              ServiceState state = state(actor, document);
              boolean replicas = state.replicas().stream().anyMatch(r -> r.version() == version);
              if (state.serves(version) || replicas || version == state.latest()) {
                throw ServiceRefusals.used(name, version, state.serves(version) || replicas);
              }
              if (!store.deleteVersion(actor.tenant(), state.id(), version)) {
                throw ServiceRefusals.missing(name, version);
              }
              audit(actor, "deleteModelServiceVersion", document, ServiceChanges.detail(version));
              return view(document, stored(state.with(state.replicas()))); // a rollback reads again
            });
  }

  private Consumer<Runnable> trial(boolean validateOnly) {
    return work -> transactions.runOrTry(validateOnly, work);
  }

  private ModelServiceView view(ConfigDocument<ModelService> document, ServiceState state) {
    return ModelServiceView.of(
        document, state, watch.look(state, watch.known(List.of(state))), clock.instant());
  }

  private ConfigDocument<ModelService> found(Actor actor, Name name) {
    String key = ModelService.document(tenants.project(actor, name.project()).id(), name.service());
    return documents
        .find(ModelService.DOCUMENTS, actor.tenant(), key)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Project \"%s\" has no service \"%s\".".formatted(name.project(), name.service())));
  }

  /**
   * Id of a service by its name.
   *
   * @throws Refusal NOT_FOUND
   */
  ModelServiceId id(Actor actor, Name name) {
    return found(actor, name).value().id();
  }

  /**
   * State of a service by its name.
   *
   * @throws Refusal NOT_FOUND
   */
  ServiceState state(Actor actor, Name name) {
    return state(actor, found(actor, name));
  }

  private ServiceState state(Actor actor, ConfigDocument<ModelService> document) {
    ModelService service = document.value();
    return store
        .find(actor.tenant(), document.name())
        .orElseThrow(() -> ServiceRefusals.mismatch(new Name(service.project(), service.name())));
  }

  private ServiceState usable(Actor actor, ConfigDocument<ModelService> document) {
    ServiceState state = state(actor, document);
    if (state.deleting()) {
      throw ServiceRefusals.deleting(document.value(), state);
    }
    return state;
  }

  @Override
  public ConfigType<ModelService> type() {
    return ModelService.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<ModelService>> stored(Actor actor, String name) {
    Permissions.require(actor, "getModelService");
    return documents.find(ModelService.DOCUMENTS, actor.tenant(), name);
  }

  /**
   * Reverts the settings. Versions never change: a rollback returns to an earlier version. The id
   * remains, because the history can begin with a deleted service of this name.
   */
  @Override
  public void restore(Actor actor, ConfigDocument<ModelService> document) {
    Permissions.require(actor, PUT);
    ModelServiceView _ = set(actor, PUT, document.value(), document.version(), false);
  }

  /** Replaces the settings. The newest version remains. */
  private ModelServiceView set(
      Actor actor, String operation, ModelService to, long expected, boolean validateOnly) {
    Name name = new Name(to.project(), to.name());
    return ServiceChanges.changed(
        name,
        trial(validateOnly),
        () -> {
          ConfigDocument<ModelService> now = found(actor, name);
          ServiceRefusals.requireOwner(now.value(), null);
          if (now.version() != expected) {
            throw ServiceRefusals.mismatch(name);
          }
          int latest = usable(actor, now).latest();
          ServiceVersion version =
              store.version(actor.tenant(), now.value().id(), latest).orElseThrow();
          return applied(actor, operation, now, AppliedService.of(to, version), null);
        });
  }
}
