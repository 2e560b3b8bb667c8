package dev.fairlead.work.job.store;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a project with the same value of the label {@value #LABEL}, as a graph of their
 * dependencies. It is computed from the jobs and has no stored state. If several jobs have the same
 * name, the newest is the job of the pipeline, and the others are its earlier runs.
 *
 * <p>The jobs are ordered by their ids. Times of creation decrease when the clock of the database
 * steps back. The ids of a process never decrease.
 */
public final class Pipeline {
  /** Label with the name of the pipeline. */
  public static final String LABEL = "pipeline";

  /** Maximum number of jobs that are read, including earlier runs. */
  public static final int MOST = 2_000;

  private static final Comparator<Job> BY_AGE = Comparator.comparing(Job::id);

  /** Only the newest run of a name can be active: a name is unique among active jobs. */
  private static final Comparator<Job> NEWEST_RUN =
      Comparator.comparing((Job job) -> job.run().ended()).thenComparing(BY_AGE.reversed());

  private final SortedMap<String, List<Job>> runs = new TreeMap<>();
  private final SortedMap<JobId, Job> current = new TreeMap<>();
  private final SortedMap<JobId, List<Job>> dependents = new TreeMap<>();
  private final SortedMap<JobId, Set<JobId>> needs = new TreeMap<>();
  private final List<Job> ordered;

  /**
   * @param jobs all jobs with the label, in any order
   */
  public Pipeline(Collection<Job> jobs) {
    jobs.stream()
        .sorted(NEWEST_RUN)
        .forEach(job -> runs.computeIfAbsent(job.name(), name -> new ArrayList<>()).add(job));
    SortedMap<JobId, Job> newest = new TreeMap<>();
    runs.values().forEach(all -> all.forEach(job -> newest.put(job.id(), all.getFirst())));
    current.putAll(newest);
    this.ordered = sorted();
  }

  /**
   * Jobs after their dependencies, then by age. A newer run of a job may depend on a job that
   * depends on an earlier run of it. The older of the two jobs precedes the newer one.
   */
  private List<Job> sorted() {
    SortedMap<JobId, Integer> open = new TreeMap<>();
    SortedSet<Job> waiting = new TreeSet<>(BY_AGE);
    for (List<Job> all : runs.values()) {
      Job job = all.getFirst();
      Set<JobId> present = presentNeeds(job);
      needs.put(job.id(), present);
      open.put(job.id(), present.size());
      present.forEach(id -> dependents.computeIfAbsent(id, d -> new ArrayList<>()).add(job));
      waiting.add(job);
    }
    Deque<Job> next =
        new ArrayDeque<>(
            runs.values().stream()
                .map(List::getFirst)
                .filter(job -> Integer.valueOf(0).equals(open.get(job.id())))
                .sorted(BY_AGE)
                .toList());
    List<Job> sorted = new ArrayList<>();
    while (!waiting.isEmpty()) {
      Job ready = next.poll();
      Job job = ready == null ? waiting.getFirst() : ready;
      if (ready == null) {
        detach(job, waiting);
      }
      waiting.remove(job);
      sorted.add(job);
      for (Job dependent : behind(job)) {
        if (open.merge(dependent.id(), -1, Integer::sum) == 0) {
          next.add(dependent);
        }
      }
    }
    return List.copyOf(sorted);
  }

  /** The oldest waiting job needs earlier runs only: all other waiting jobs are newer. */
  private void detach(Job job, Set<Job> waiting) {
    for (Job newer : waiting) {
      if (needs(job).remove(newer.id())) {
        behind(newer).remove(job);
      }
    }
  }

  /** Ids of the current jobs of the pipeline that the job depends on. */
  private Set<JobId> presentNeeds(Job job) {
    Set<JobId> found = new TreeSet<>();
    for (Dependency dependency : job.spec().dependsOn()) {
      Job other = current.get(dependency.job());
      if (other != null && !other.id().equals(job.id())) {
        found.add(other.id());
      }
    }
    return found;
  }

  private Set<JobId> needs(Job job) {
    return needs.getOrDefault(job.id(), Set.of());
  }

  private List<Job> behind(Job job) {
    return dependents.getOrDefault(job.id(), List.of());
  }

  /** The newest job of each name. A job follows its dependencies. */
  public List<Job> jobs() {
    return ordered;
  }

  /** Ids of earlier jobs of the name, newest first. */
  public List<JobId> earlier(String name) {
    return runs.getOrDefault(name, List.of()).stream().skip(1).map(Job::id).toList();
  }

  /** Number of jobs in each state. States without jobs are omitted. */
  public SortedMap<JobState, Integer> states() {
    SortedMap<JobState, Integer> states = new TreeMap<>();
    ordered.forEach(job -> states.merge(job.state(), 1, Integer::sum));
    return states;
  }

  /**
   * The job that holds up the pipeline, and the number of jobs behind it.
   *
   * @param chain length of the longest chain of jobs that wait for it
   */
  public record Critical(Job job, int chain) {}

  /**
   * The job on which the longest chain of waiting jobs depends, the oldest of several. If all jobs
   * have ended, the result is the job that failed first. The result is empty if none failed.
   */
  public Optional<Critical> critical() {
    Map<JobId, Integer> chains = new TreeMap<>();
    Critical found = null;
    for (Job job : ordered.reversed()) {
      if (job.run().ended()) {
        continue;
      }
      int longest = 0;
      for (Job dependent : behind(job)) {
        longest = Math.max(longest, 1 + Objects.requireNonNullElse(chains.get(dependent.id()), -1));
      }
      chains.put(job.id(), longest);
      boolean first = needs(job).stream().map(this::stored).allMatch(other -> other.run().ended());
      if (first && (found == null || longest >= found.chain())) {
        found = new Critical(job, longest);
      }
    }
    return found == null ? failedFirst() : Optional.of(found);
  }

  private Optional<Critical> failedFirst() {
    return ordered.stream()
        .filter(job -> unsuccessful(job) && cause(job) != FailureCause.DEPENDENCY_FAILED)
        .min(Comparator.comparing((Job job) -> job.run().changedAt()).thenComparing(BY_AGE))
        .map(job -> new Critical(job, 0));
  }

  /**
   * The jobs of a retry: failed and cancelled jobs, dependencies without a referenced output, and
   * the jobs that depend on them. They follow their dependencies. A job that only needed the start
   * of a failed job and succeeded is not repeated, and a job that was skipped is repeated only with
   * its dependency.
   */
  public List<Job> unfinished() {
    Set<JobId> again = silent();
    for (Job job : ordered) {
      if (unsuccessful(job) || job.spec().dependsOn().stream().anyMatch(d -> redo(job, d, again))) {
        again.add(job.id());
      }
    }
    return ordered.stream().filter(job -> again.contains(job.id())).toList();
  }

  /**
   * Dependencies without a referenced output: a job that needs the output would fail again. A
   * dependency that was submitted again since may have reported it.
   */
  private Set<JobId> silent() {
    Set<JobId> silent = new TreeSet<>();
    for (Job job : ordered) {
      if (cause(job) == FailureCause.OUTPUT_MISSING && unsuccessful(job)) {
        List<OutputReference> references = OutputReference.all(job.spec());
        job.spec().dependsOn().stream()
            .map(Dependency::job)
            .filter(needs(job)::contains)
            .map(this::stored)
            .filter(
                other -> references.stream().anyMatch(each -> each.names(other.id(), other.name())))
            .forEach(other -> silent.add(other.id()));
      }
    }
    return silent;
  }

  private boolean redo(Job job, Dependency dependency, Set<JobId> again) {
    boolean began =
        dependency.condition() == Condition.STARTED && job.state() == JobState.SUCCEEDED;
    return again.contains(dependency(job, dependency.job())) && !began;
  }

  private Job stored(JobId id) {
    return Objects.requireNonNull(current.get(id));
  }

  /** The current job of the pipeline for the id of any run, null for a job outside it. */
  public @Nullable Job present(JobId id) {
    return current.get(id);
  }

  /**
   * Id of the current job for a dependency of the job. A job outside the pipeline retains its id,
   * and so does an earlier run of a job that is newer than the dependent.
   */
  public JobId dependency(Job job, JobId id) {
    Job other = current.get(id);
    return other != null && needs(job).contains(other.id()) ? other.id() : id;
  }

  private static boolean unsuccessful(Job job) {
    return job.state() == JobState.FAILED
        || job.state() == JobState.CANCELLED && cause(job) != FailureCause.SKIPPED;
  }

  private static @Nullable FailureCause cause(Job job) {
    Failure failure = job.run().failure();
    return failure == null ? null : failure.cause();
  }
}
