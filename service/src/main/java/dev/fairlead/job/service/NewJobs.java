package dev.fairlead.job.service;

import dev.fairlead.identity.IdSource;
import dev.fairlead.job.ArrayProgress;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobFilter;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobNames;
import dev.fairlead.job.JobSlice;
import dev.fairlead.job.JobSpec;
import dev.fairlead.job.JobSpec.Dependency;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.Run;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Project;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes jobs of specs: name and queue filled in, dependencies known. */
class NewJobs {
  private static final int MOST_TOLD = 3;
  private final IdSource ids;
  private final SubmitRules rules;
  private final JobStore jobs;

  NewJobs(IdSource ids, SubmitRules rules, JobStore jobs) {
    this.ids = ids;
    this.rules = rules;
    this.jobs = jobs;
  }

  /** Makes these jobs, in the transaction that stores them. */
  Making making(Actor actor, Project project, List<NewJob> wanted) {
    return new Making(actor, project, wanted);
  }

  /** Jobs of one request; an accepted one takes its name, and later ones may depend on it. */
  final class Making {
    private final Actor actor;
    private final Project project;
    private final List<NewJob> wanted;
    private final List<JobId> given;
    private final SubmitRules.Queues queues;
    private final Set<String> taken;
    private final Set<String> ofBatch = new TreeSet<>();
    private final Instant now = jobs.now();
    private final TreeMap<String, Job> accepted = new TreeMap<>();

    private Making(Actor actor, Project project, List<NewJob> wanted) {
      this.actor = actor;
      this.project = project;
      this.wanted = wanted;
      this.given = wanted.stream().map(job -> new JobId(ids.next())).toList();
      this.queues = rules.queues(actor, project);
      List<String> asked = new ArrayList<>();
      for (int i = 0; i < wanted.size(); i++) {
        asked.addAll(names(i));
        ofBatch.add(wanted.get(i).spec().name());
      }
      this.taken = jobs.activeNames(project.id(), asked);
    }

    private List<String> names(int index) {
      String name = wanted.get(index).spec().name();
      return name.isEmpty() ? JobNames.of(given.get(index)) : List.of(name);
    }

    boolean taken(String name) {
      return taken.contains(name) || accepted.containsKey(name);
    }

    /** By name. */
    List<Job> accepted() {
      return List.copyOf(accepted.values());
    }

    /**
     * Makes the job and accepts it.
     *
     * @throws dev.fairlead.problem.Refusal as {@link #made}, and NAME_IN_USE
     */
    Job accept(int index) {
      Job job = made(index);
      if (taken(job.name())) {
        throw SubmitRules.nameTaken(job.name());
      }
      accepted.put(job.name(), job);
      return job;
    }

    /**
     * The job, whether its given name is taken or not; one that is chosen is free.
     *
     * @throws dev.fairlead.problem.Refusal INVALID_FIELD
     */
    Job made(int index) {
      NewJob job = wanted.get(index);
      QuotaNode queue = queues.of(job.spec());
      Set<JobId> found = new TreeSet<>();
      JobSpec needing = job.spec().needing(dependencies(job, found));
      rules.dependencies(actor, project, needing, found);
      rules.models(needing);
      List<String> names = names(index);
      String name =
          names.stream().filter(free -> !taken(free)).findFirst().orElse(names.getFirst());
      JobSpec spec = needing.named(name, queue.name());
      ArrayProgress array = spec.array() == null ? null : ArrayProgress.of(spec.array());
      return new Job(
          given.get(index),
          actor.tenant(),
          project.id(),
          queue.id(),
          spec.name(),
          actor.name(),
          spec,
          spec.priorityClass().value(),
          now,
          Run.queued(now),
          array,
          1);
    }

    private List<Dependency> dependencies(NewJob job, Set<JobId> found) {
      List<Dependency> all = new ArrayList<>(job.spec().dependsOn());
      for (NewJob.Named needed : job.named()) {
        JobId id = named(needed);
        found.add(id);
        all.add(needed.index(), new Dependency(id, needed.condition()));
      }
      return all;
    }

    /** An earlier one of this request, the active one of that name, or the only one that ended. */
    private JobId named(NewJob.Named needed) {
      Job sibling = accepted.get(needed.name());
      if (sibling != null) {
        return sibling.id();
      }
      if (wanted.size() > 1 && ofBatch.contains(needed.name())) {
        throw SubmitRules.dependency(
            needed.index(),
            "Item \"%s\" of this batch was refused or comes later. Put it earlier, or give an id."
                .formatted(needed.name()));
      }
      return jobs.activeNamed(project.id(), needed.name())
          .map(Job::id)
          .orElseGet(() -> ended(needed));
    }

    private JobId ended(NewJob.Named needed) {
      List<Job> found = endedNamed(needed.name());
      if (found.size() == 1) {
        return found.getFirst().id();
      }
      throw SubmitRules.dependency(
          needed.index(),
          found.isEmpty()
              ? "Project %s has no job \"%s\". Give the name of a job there, or the id of any job."
                  .formatted(project.name(), needed.name())
              : "Several jobs named \"%s\" have ended. Give the id of one: %s."
                  .formatted(
                      needed.name(),
                      String.join(", ", found.stream().map(j -> j.id().text()).toList())));
    }

    /** A page may hold fewer than there are. */
    private List<Job> endedNamed(String name) {
      JobFilter filter = endedJobs(name);
      JobSlice page = jobs.list(filter);
      List<Job> found = new ArrayList<>(page.jobs());
      while (found.size() < 2 && page.next() != null) {
        page = jobs.list(filter.behind(page.next()));
        found.addAll(page.jobs());
      }
      return found;
    }

    private JobFilter endedJobs(String name) {
      return new JobFilter(
          actor.tenant(),
          project.id(),
          List.of(),
          List.of(),
          null,
          name,
          new TreeMap<>(),
          null,
          JobFilter.Order.NEWEST,
          null,
          MOST_TOLD);
    }
  }
}
