package dev.fairlead.work.schedule.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.TenantDocuments;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.ScheduleBuilder;
import dev.fairlead.work.schedule.ScheduleId;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.ScheduleState;
import dev.fairlead.work.schedule.ScheduleStore;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Stores, shows, suspends and deletes the schedules of projects. */
@Service
public class Schedules implements ConfigDocumentRevert<Schedule> {
  private static final TenantDocuments.Kind<Schedule> KIND =
      new TenantDocuments.Kind<>(
          Schedule.DOCUMENTS, Schedule::name, "Schedule", "schedules", Schedule.MOST);

  private final Transactions transactions;
  private final ScheduleStore store;
  private final TenantDocuments<Schedule> schedules;
  private final TenantStore tenants;
  private final ScheduleOwners owners;
  private final JobReader bodies;
  private final JobStore jobs;
  private final JobSubmits submits;
  private final AuditLog audit;
  private final IdSource ids;

  Schedules(
      Transactions transactions,
      ScheduleStore store,
      ConfigStore documents,
      TenantStore tenants,
      ScheduleOwners owners,
      JobReader bodies,
      JobStore jobs,
      JobSubmits submits,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.store = store;
    this.schedules = new TenantDocuments<>(KIND, transactions, documents, audit);
    this.tenants = tenants;
    this.owners = owners;
    this.bodies = bodies;
    this.jobs = jobs;
    this.submits = submits;
    this.audit = audit;
    this.ids = ids;
  }

  public record Name(String project, String schedule) {}

  /**
   * The settings of a schedule.
   *
   * @param job as {@link Schedule#job}
   */
  public record Request(
      Schedule.Timing timing,
      Schedule.CatchUp catchUp,
      int catchUpMost,
      Schedule.Overlap overlap,
      String job) {}

  /**
   * By name.
   *
   * @param after only names after that one, an empty text for all
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<ScheduleView> page(Actor actor, String project, String after, int limit) {
    Permissions.require(actor, "listSchedules");
    return transactions.read(() -> {
      Project of = tenants.project(actor, project);
      SortedMap<String, ScheduleState> states = new TreeMap<>();
      store.all(actor.tenant()).forEach(each -> states.put(each.document(), each));
      return schedules.all(actor).stream()
          .filter(each -> of.id().equals(each.project()) && states.containsKey(each.name()))
          .filter(each -> each.value().name().compareTo(after) > 0)
          .sorted(Comparator.comparing(each -> each.value().name()))
          .limit(limit)
          .map(each -> view(each, Objects.requireNonNull(states.get(each.name()))))
          .toList();
    });
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public ScheduleView one(Actor actor, Name name) {
    Permissions.require(actor, "getSchedule");
    return transactions.read(() -> {
      ConfigDocument<Schedule> document = found(actor, name);
      return view(document, state(actor, document));
    });
  }

  /**
   * The next ten instants after that time.
   *
   * @param after null for the current time
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<ScheduleView.Upcoming> preview(Actor actor, Name name, @Nullable Instant after) {
    Permissions.require(actor, "previewSchedule");
    return transactions.read(
        () -> ScheduleView.upcoming(found(actor, name), after == null ? jobs.now() : after));
  }

  /**
   * Decisions of a schedule, the newest instant first.
   *
   * @param before only instants before that one
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<ScheduleView.RunView> runs(Actor actor, Name name, Instant before, int limit) {
    Permissions.require(actor, "listScheduleRuns");
    return transactions.read(() ->
        store.runs(actor.tenant(), found(actor, name).value().id(), before, limit).stream()
            .map(ScheduleView.RunView::of)
            .toList());
  }

  /**
   * Adds a schedule, or changes it. The actor becomes its owner. The new instants apply from now
   * on.
   *
   * @param expected version that the caller has read, or null for any version and a new schedule
   * @throws Refusal FORBIDDEN also for an actor without a stored membership or the role of an
   *     administrator, NOT_FOUND (project), VERSION_MISMATCH, LIMIT_EXCEEDED above {@link
   *     Schedule#MOST} of a tenant, and the problems of a submit of its job
   */
  public ScheduleView put(
      Actor actor, Name name, Request wanted, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "putSchedule");
    submits.checkNested(actor, name.project(), bodies.read(actor, name.project(), wanted.job()));
    return schedules.change(
        name.schedule(), validateOnly, () -> stored(actor, name, wanted, expected));
  }

  private ScheduleView stored(Actor actor, Name name, Request wanted, @Nullable Long expected) {
    Project project = tenants.project(actor, name.project());
    String key = Schedule.document(project.id(), name.schedule());
    ConfigDocument<Schedule> old = schedules.find(actor, key).orElse(null);
    if (!actor.administrator()) {
      requireMember(actor, project);
    }
    ScheduleId id = old == null ? new ScheduleId(ids.next()) : old.value().id();
    Schedule next =
        ScheduleBuilder.builder()
            .id(id)
            .name(name.schedule())
            .project(project.name())
            .owner(actor.name())
            .administrator(actor.administrator())
            .timing(wanted.timing())
            .catchUp(wanted.catchUp())
            .catchUpMost(wanted.catchUpMost())
            .overlap(wanted.overlap())
            .job(wanted.job())
            .build();
    ConfigDocument<Schedule> stored =
        schedules.put(
            actor,
            "putSchedule",
            old,
            new ConfigDocument<>(Schedule.DOCUMENTS, key, actor.tenant(), project.id(), next, 0),
            expected,
            detail(next));
    return view(stored, progressed(actor, old, stored));
  }

  private ScheduleState progressed(
      Actor actor, @Nullable ConfigDocument<Schedule> old, ConfigDocument<Schedule> stored) {
    Instant now = jobs.now();
    Schedule schedule = stored.value();
    ScheduleTimes times = ScheduleTimes.of(schedule.timing());
    if (old == null) {
      ScheduleState first =
          times.planned(
              ScheduleState.first(schedule.id(), actor.tenant(), stored.name(), now), now);
      store.insert(first);
      return first;
    }
    ScheduleState state = locked(actor, stored);
    if (old.value().timing().equals(schedule.timing())) {
      return state;
    }
    ScheduleState next = times.planned(state.from(now), now);
    store.update(next);
    return next;
  }

  /** The runs are submitted without this request: only stored memberships count. */
  private void requireMember(Actor actor, Project project) {
    try {
      Actor _ = owners.member(actor.tenant(), project, actor.name());
    } catch (Refusal refused) {
      throw new Refusal(
          refused.code(),
          "A schedule runs on behalf of %s, even after the sign-in has ended: %s"
              .formatted(actor.name(), refused.getMessage()));
    }
  }

  /**
   * Suspends a schedule: no job is submitted until it is resumed.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public ScheduleView suspend(Actor actor, Name name, boolean validateOnly) {
    Permissions.require(actor, "suspendSchedule");
    return switched(actor, name, "suspendSchedule", true, validateOnly);
  }

  /**
   * Resumes a schedule with its next instant. Instants while it was suspended do not count.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public ScheduleView resume(Actor actor, Name name, boolean validateOnly) {
    Permissions.require(actor, "resumeSchedule");
    return switched(actor, name, "resumeSchedule", false, validateOnly);
  }

  private ScheduleView switched(
      Actor actor, Name name, String operation, boolean suspended, boolean validateOnly) {
    return schedules.change(
        name.schedule(),
        validateOnly,
        () -> {
          ConfigDocument<Schedule> document = found(actor, name);
          ScheduleState state = locked(actor, document);
          if (state.suspended() == suspended) {
            return view(document, state);
          }
          Instant now = jobs.now();
          ScheduleTimes times = ScheduleTimes.of(document.value().timing());
          ScheduleState next =
              times.planned((suspended ? state : state.from(now)).suspended(suspended), now);
          store.update(next);
          audit.append(
              new AuditRecord(actor, operation, document.name(), true, detail(document.value())));
          return view(document, next);
        });
  }

  /**
   * Deletes a schedule with its history. Its jobs remain.
   *
   * @param expected version that the caller has read, or null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(Actor actor, Name name, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteSchedule");
    ConfigDocument<Schedule> _ =
        schedules.change(
            name.schedule(),
            validateOnly,
            () -> {
              ConfigDocument<Schedule> old = found(actor, name);
              return schedules.remove(actor, "deleteSchedule", old, expected, detail(old.value()));
            });
  }

  private ConfigDocument<Schedule> found(Actor actor, Name name) {
    String key = Schedule.document(tenants.project(actor, name.project()).id(), name.schedule());
    return schedules
        .find(actor, key)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Project \"%s\" has no schedule \"%s\"."
                    .formatted(name.project(), name.schedule())));
  }

  private ScheduleState state(Actor actor, ConfigDocument<Schedule> document) {
    return store
        .find(actor.tenant(), document.name())
        .orElseThrow(() -> schedules.changed(document.value().name()));
  }

  private ScheduleState locked(Actor actor, ConfigDocument<Schedule> document) {
    return store
        .locked(actor.tenant(), document.name())
        .orElseThrow(() -> schedules.changed(document.value().name()));
  }

  private ScheduleView view(ConfigDocument<Schedule> document, ScheduleState state) {
    ScheduleRun last =
        store.runs(state.tenant(), state.id(), ScheduleRun.AFTER_ALL, 1).stream()
            .findFirst()
            .orElse(null);
    return ScheduleView.of(document, state, last, bodies.shown(document.value().job()), jobs.now());
  }

  private static SortedMap<String, Object> detail(Schedule schedule) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("cron", schedule.timing().cron());
    detail.put("owner", schedule.owner());
    return detail;
  }

  @Override
  public ConfigType<Schedule> type() {
    return Schedule.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<Schedule>> stored(Actor actor, String name) {
    Permissions.require(actor, "getSchedule");
    return schedules.find(actor, name);
  }

  /** Reverts all settings. The actor becomes the owner. */
  @Override
  public void restore(Actor actor, ConfigDocument<Schedule> document) {
    Schedule to = document.value();
    ScheduleView _ =
        put(
            actor,
            new Name(to.project(), to.name()),
            new Request(to.timing(), to.catchUp(), to.catchUpMost(), to.overlap(), to.job()),
            document.version(),
            false);
  }
}
