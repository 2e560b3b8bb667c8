package dev.fairlead.work.job.service.submit;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobBuilder;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.NamedJob;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.job.submit.JobNames;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.WarmMember;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Creates jobs from specs: fills in name and queue, and resolves dependencies. */
public class NewJobs {
  private static final int MOST_TOLD = 3;
  private final IdSource ids;
  private final SubmitRules rules;
  private final JobStore jobs;

  public NewJobs(IdSource ids, SubmitRules rules, JobStore jobs) {
    this.ids = ids;
    this.rules = rules;
    this.jobs = jobs;
  }

  /** Creates these jobs in the transaction that stores them. */
  public Making making(
      Actor actor, Project project, FeasibilityCheck.OfFleet fleet, List<NewJob> wanted) {
    return new Making(actor, project, fleet, wanted, true);
  }

  /**
   * Creates a job that the transaction stores immediately. A given name is not read, because the
   * store refuses one that is taken.
   */
  Job stored(Actor actor, Project project, FeasibilityCheck.OfFleet fleet, NewJob wanted) {
    return new Making(actor, project, fleet, List.of(wanted), false).accept(0);
  }

  /** Jobs of one request. An accepted job takes its name, and later jobs may depend on it. */
  public final class Making {
    private final Actor actor;
    private final Project project;
    private final List<NewJob> wanted;
    private final List<JobId> given;
    private final NamedQueues queues;
    private final List<SubmitChecks.Check> checks;
    private final Map<String, List<NamedJob>> stored;
    private final Set<JobId> known;
    private final Set<String> ofBatch = new TreeSet<>();
    private final Instant now = jobs.now();
    private final TreeMap<String, Job> accepted = new TreeMap<>();
    private final Map<JobId, Optional<Job>> byId = new TreeMap<>();

    private Making(
        Actor actor,
        Project project,
        FeasibilityCheck.OfFleet fleet,
        List<NewJob> wanted,
        boolean looksUpNames) {
      this.actor = actor;
      this.project = project;
      this.wanted = wanted;
      this.given = wanted.stream().map(job -> new JobId(ids.next())).toList();
      this.queues = rules.queues(actor, project);
      this.checks = rules.checks(actor, project, fleet, this::found);
      wanted.forEach(job -> ofBatch.add(job.spec().name()));
      this.stored = stored(looksUpNames);
      this.known = known();
    }

    /**
     * Jobs of the project by every name that this request may use: active jobs by given names, and
     * all jobs by generated names and by names in {@code dependsOn}. One query for each, and one
     * more if the first generated name of a job is taken.
     *
     * @param looksUpNames whether given names are read
     */
    private Map<String, List<NamedJob>> stored(boolean looksUpNames) {
      Set<String> given = new TreeSet<>();
      Set<String> any = new TreeSet<>();
      List<String> further = new ArrayList<>();
      for (int i = 0; i < wanted.size(); i++) {
        List<String> names = names(i);
        boolean first = (names.size() == 1 ? given : any).add(names.getFirst());
        if (names.size() > 1 && (!first || given.contains(names.getFirst()))) {
          further.addAll(names);
        }
        wanted.get(i).named().forEach(needed -> any.add(needed.name()));
      }
      given.removeAll(any);
      Map<String, List<NamedJob>> found = named(any);
      if (looksUpNames && !given.isEmpty()) {
        jobs.activeNamed(actor.tenant(), project.id(), given)
            .forEach(job -> found.put(job.name(), List.of(job)));
      }
      for (int i = 0; i < wanted.size(); i++) {
        List<String> names = names(i);
        if (names.size() > 1 && found.containsKey(names.getFirst())) {
          further.addAll(names);
        }
      }
      found.putAll(named(further));
      return found;
    }

    private Map<String, List<NamedJob>> named(Collection<String> names) {
      return names.isEmpty()
          ? new TreeMap<>()
          : jobs.named(actor.tenant(), project.id(), names).stream()
              .collect(groupingBy(NamedJob::name, TreeMap::new, toList()));
    }

    /**
     * The ids in {@code dependsOn} that exist in the tenant, or, if the actor has roles only in
     * projects, in this project. Runs a single query.
     */
    private Set<JobId> known() {
      Set<JobId> asked = new TreeSet<>();
      wanted.forEach(job -> job.spec().dependsOn().forEach(needed -> asked.add(needed.job())));
      if (asked.isEmpty()) {
        return asked;
      }
      boolean wide = actor.roles().stream().anyMatch(role -> role.scope() != Role.Scope.PROJECT);
      Map<JobId, ProjectId> projects = jobs.projects(actor.tenant(), asked);
      asked.removeIf(id -> {
        ProjectId of = projects.get(id);
        return of == null || !(wide || of.equals(project.id()));
      });
      return asked;
    }

    private List<String> names(int index) {
      String name = wanted.get(index).spec().name();
      return name.isEmpty() ? JobNames.of(given.get(index)) : List.of(name);
    }

    /** Returns whether an active job has it. */
    public boolean taken(String name) {
      return accepted.containsKey(name)
          || stored.getOrDefault(name, List.of()).stream().anyMatch(NamedJob::active);
    }

    /**
     * Returns whether no stored job, active or ended, has the name. A generated name identifies its
     * job while the job is stored.
     */
    private boolean unused(String name) {
      return !stored.containsKey(name) && !accepted.containsKey(name);
    }

    /** Accepted jobs by name. */
    public List<Job> accepted() {
      return List.copyOf(accepted.values());
    }

    /**
     * Creates the job and accepts it.
     *
     * @throws Refusal as {@link #made}, NAME_IN_USE, and LIMIT_EXCEEDED
     */
    public Job accept(int index) {
      Job job = made(index);
      if (taken(job.name())) {
        throw nameTaken(job.name());
      }
      queues.queued(wanted.get(index).spec());
      accepted.put(job.name(), job);
      byId.put(job.id(), Optional.of(job));
      return job;
    }

    /**
     * Creates the job, even if its given name is taken. A generated name is never taken.
     *
     * @throws Refusal INVALID_FIELD
     */
    public Job made(int index) {
      NewJob job = wanted.get(index);
      Refusal refused = job.refused();
      if (refused != null) {
        throw refused;
      }
      QuotaNode queue = queues.of(job.spec());
      JobSpec needing = job.spec().needing(dependencies(job));
      List<String> names = names(index);
      String name = names.stream().filter(this::unused).findFirst().orElse(names.getFirst());
      JobSpec spec = needing.named(name, queue.name());
      checks.forEach(check -> check.require(spec));
      ArrayProgress array = spec.array() == null ? null : ArrayProgress.of(spec.array());
      return JobBuilder.builder()
          .id(given.get(index))
          .tenant(actor.tenant())
          .project(project.id())
          .queue(queue.id())
          .name(spec.name())
          .user(actor.name())
          .spec(spec)
          .priority(WarmMember.priority(spec))
          .createdAt(now)
          .run(JobStatus.queued(now))
          .array(array)
          .checks(List.of())
          .version(1)
          .build();
    }

    /** An accepted job, which is not stored yet, or a stored job, read once for all jobs. */
    private Optional<Job> found(JobId id) {
      return byId.computeIfAbsent(id, unread -> jobs.find(actor.tenant(), unread));
    }

    private List<Dependency> dependencies(NewJob job) {
      List<Dependency> all = new ArrayList<>(job.spec().dependsOn());
      Set<JobId> ofNames = new TreeSet<>();
      for (NewJob.Named needed : job.named()) {
        JobId id = named(needed);
        ofNames.add(id);
        all.add(needed.index(), new Dependency(id, needed.condition(), needed.perElement()));
      }
      for (int i = 0; i < all.size(); i++) {
        JobId id = all.get(i).job();
        if (!known.contains(id) && !ofNames.contains(id)) {
          throw dependency(i, "There is no job " + id.text() + ".");
        }
        if (all.get(i).perElement()) {
          sameElements(i, job.spec(), id);
        }
      }
      return all;
    }

    private void sameElements(int index, JobSpec spec, JobId id) {
      int own = spec.array() == null ? 0 : spec.array().count();
      ArrayRange others = found(id).map(other -> other.spec().array()).orElse(null);
      if (others == null || others.count() != own) {
        throw dependency(
            index,
            "perElement needs an array with %d elements, and job %s %s."
                .formatted(
                    own,
                    found(id).map(Job::name).orElse(id.text()),
                    others == null ? "is not an array" : "has " + others.count()));
      }
    }

    /** An earlier job of this request, the active job of that name, or the only ended job. */
    private JobId named(NewJob.Named needed) {
      Job sibling = accepted.get(needed.name());
      if (sibling != null) {
        return sibling.id();
      }
      if (wanted.size() > 1 && ofBatch.contains(needed.name())) {
        throw dependency(
            needed.index(),
            ("Item \"%s\" of this batch was refused or follows this item. Move it earlier, or use"
                    + " an id.")
                .formatted(needed.name()));
      }
      List<NamedJob> there = stored.getOrDefault(needed.name(), List.of());
      return there.stream()
          .filter(NamedJob::active)
          .findFirst()
          .map(NamedJob::id)
          .orElseGet(() -> ended(needed, there));
    }

    private JobId ended(NewJob.Named needed, List<NamedJob> found) {
      if (found.size() == 1) {
        return found.getFirst().id();
      }
      throw dependency(
          needed.index(),
          found.isEmpty()
              ? ("Project %s has no job \"%s\". Use the name of a job in that project, or the id"
                      + " of any job.")
                  .formatted(project.name(), needed.name())
              : "Several jobs named \"%s\" have ended. Give the id of one: %s."
                  .formatted(
                      needed.name(),
                      found.stream()
                          .limit(MOST_TOLD)
                          .map(job -> job.id().text())
                          .collect(joining(", "))));
    }
  }

  static Refusal nameTaken(String name) {
    return Refusal.field(
        ProblemCode.NAME_IN_USE,
        "/name",
        "An active job of this project is named \"%s\". Its name is free again when it has ended."
            .formatted(name),
        null);
  }

  private static Refusal dependency(int index, String detail) {
    return Refusal.field("/dependsOn/" + index, detail);
  }
}
