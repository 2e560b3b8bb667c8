package dev.fairlead.work.job.memory;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/** The rows of jobs, with lookups that use an index in a database. */
final class JobTables {
  private final MemoryTable<JobId, Job> jobs;
  private final MemoryTable<JobId, Job> active;
  private final MemoryTable<String, JobId> activeNames;
  private final MemoryTable<ElementKey, JobElement> elements;
  private final MemoryTable<AttemptId, Attempt> attempts;
  private final MemoryTable<AttemptId, Attempt> unretired;
  private final MemoryTable<End, Attempt> ended;
  private final MemoryTable<JobId, SortedSet<AttemptId>> ofJob;
  private final MemoryTable<JobId, Instant> patched;

  private record ElementKey(JobId job, int index) implements Comparable<ElementKey> {
    @Override
    public int compareTo(ElementKey other) {
      int byJob = job.compareTo(other.job);
      return byJob != 0 ? byJob : Integer.compare(index, other.index);
    }
  }

  private record End(Instant at, AttemptId attempt) implements Comparable<End> {
    private static final AttemptId FIRST = new AttemptId(new UUID(0, 0));

    @Override
    public int compareTo(End other) {
      int byTime = at.compareTo(other.at);
      return byTime != 0 ? byTime : attempt.compareTo(other.attempt);
    }

    static Optional<End> of(Attempt attempt) {
      return Optional.ofNullable(attempt.endedAt()).map(at -> new End(at, attempt.id()));
    }
  }

  JobTables(MemoryDatabase database) {
    this.jobs = database.table();
    this.active = database.table();
    this.activeNames = database.table();
    this.elements = database.table();
    this.attempts = database.table();
    this.unretired = database.table();
    this.ended = database.table();
    this.ofJob = database.table();
    this.patched = database.table();
  }

  void patched(JobId job, Instant at) {
    patched.put(job, at);
  }

  boolean patchedSince(JobId job, Instant since) {
    return patched.find(job).filter(at -> at.isAfter(since)).isPresent();
  }

  Optional<Job> job(JobId id) {
    return jobs.find(id);
  }

  List<Job> jobs() {
    return List.copyOf(jobs.all());
  }

  /** Not ended, by id. */
  List<Job> active() {
    return List.copyOf(active.all());
  }

  Optional<Job> activeNamed(ProjectId project, String name) {
    return activeNames.find(name(project, name)).flatMap(jobs::find);
  }

  void put(Job job) {
    jobs.find(job.id()).filter(old -> !old.name().equals(job.name())).ifPresent(this::freeName);
    jobs.put(job.id(), job);
    if (job.run().ended()) {
      active.remove(job.id());
      freeName(job);
    } else {
      active.put(job.id(), job);
      activeNames.put(name(job.project(), job.name()), job.id());
    }
  }

  /** Another job may have taken the name since this one ended. */
  private void freeName(Job job) {
    String name = name(job.project(), job.name());
    if (activeNames.find(name).filter(job.id()::equals).isPresent()) {
      activeNames.remove(name);
    }
  }

  Optional<JobElement> element(JobId job, int index) {
    return elements.find(new ElementKey(job, index));
  }

  /** By index. */
  List<JobElement> elements(JobId job, int from) {
    return List.copyOf(
        elements
            .map()
            .subMap(new ElementKey(job, from), true, new ElementKey(job, Integer.MAX_VALUE), true)
            .values());
  }

  void put(JobElement element) {
    elements.put(new ElementKey(element.job(), element.index()), element);
  }

  Optional<Attempt> attempt(AttemptId id) {
    return attempts.find(id);
  }

  /** Lists attempts by element and number. */
  List<Attempt> attempts(JobId job) {
    return ofJob.find(job).orElseGet(TreeSet::new).stream()
        .map(id -> attempts.find(id).orElseThrow())
        .sorted(Comparator.comparingInt(Attempt::element).thenComparingInt(Attempt::number))
        .toList();
  }

  /** Live, or ended and not retired, by id. */
  List<Attempt> unretired() {
    return List.copyOf(unretired.all());
  }

  List<Attempt> unretired(ClusterId cluster) {
    return unretired.all().stream().filter(a -> a.cluster().equals(cluster)).toList();
  }

  /** By their ends, then ids. */
  List<Attempt> endedAfter(Instant since) {
    return List.copyOf(ended.map().tailMap(new End(since.plusNanos(1), End.FIRST), true).values());
  }

  void put(Attempt attempt) {
    attempts.find(attempt.id()).flatMap(End::of).ifPresent(ended::remove);
    End.of(attempt).ifPresent(end -> ended.put(end, attempt));
    attempts.put(attempt.id(), attempt);
    if (attempt.retiredAt() == null) {
      unretired.put(attempt.id(), attempt);
    } else {
      unretired.remove(attempt.id());
    }
    SortedSet<AttemptId> known = ofJob.find(attempt.job()).orElseGet(TreeSet::new);
    if (!known.contains(attempt.id())) {
      SortedSet<AttemptId> more = new TreeSet<>(known);
      more.add(attempt.id());
      ofJob.put(attempt.job(), more);
    }
  }

  /** With all that belongs to it. */
  void remove(Job job) {
    elements(job.id(), 0).forEach(e -> elements.remove(new ElementKey(job.id(), e.index())));
    for (Attempt attempt : attempts(job.id())) {
      End.of(attempt).ifPresent(ended::remove);
      attempts.remove(attempt.id());
    }
    ofJob.remove(job.id());
    jobs.remove(job.id());
  }

  private static String name(ProjectId project, String name) {
    return project.text() + "/" + name;
  }
}
