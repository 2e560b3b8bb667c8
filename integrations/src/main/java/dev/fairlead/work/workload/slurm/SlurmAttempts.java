package dev.fairlead.work.workload.slurm;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Attempts on a Slurm cluster that this process knows. Thread-safe. */
final class SlurmAttempts {
  private static final Duration REMEMBERED = Duration.ofHours(1);

  private final SortedMap<AttemptId, Tracked> tracked = new TreeMap<>();

  /** Attempts that no longer get a job, with the time: stopped without a job, or retired. */
  private final SortedMap<AttemptId, Long> closed = new TreeMap<>();

  private final LongSupplier nanos;
  private long revision = 1;

  SlurmAttempts(LongSupplier nanos) {
    this.nanos = nanos;
  }

  private final class Tracked {
    private final AttemptId id;
    private List<Member> members = List.of();
    private @Nullable SlurmJob job;
    private boolean ordered;
    private long uid;
    private long uidSince;
    private long unansweredSince;
    private ObservedWorkload shown;
    private long changed;

    Tracked(AttemptId id) {
      this.id = id;
      shown = ObservedWorkload.nothing(id);
    }

    void has(long job) {
      if (uid != job) {
        uid = job;
        uidSince = nanos.getAsLong();
      }
    }
  }

  private Tracked of(AttemptId id) {
    return tracked.computeIfAbsent(id, Tracked::new);
  }

  /** Takes the members of the attempt, and the job that they had. */
  synchronized void recognise(Attempt attempt) {
    if (closed.containsKey(attempt.id())) {
      return;
    }
    Tracked known = of(attempt.id());
    if (known.members.size() != attempt.members().size()) {
      known.members = List.copyOf(attempt.members());
    }
    String uid =
        attempt.members().stream()
            .map(Member::uid)
            .filter(SlurmAttempts::number)
            .findFirst()
            .orElse("0");
    known.has(Math.max(known.uid, Long.parseLong(uid)));
    show(known);
  }

  private static boolean number(@Nullable String uid) {
    return uid != null && uid.matches("[0-9]{1,18}");
  }

  /** Returns whether the attempt must not get a job. */
  synchronized boolean closed(AttemptId id) {
    return closed.containsKey(id);
  }

  synchronized void close(AttemptId id) {
    closed.put(id, nanos.getAsLong());
    Tracked gone = tracked.remove(id);
    if (gone != null && !gone.shown.empty()) {
      Tracked empty = of(id);
      empty.changed = ++revision;
    }
  }

  /** The job of the attempt, empty if none was seen. */
  synchronized Optional<SlurmJob> job(AttemptId id) {
    Tracked known = tracked.get(id);
    return known == null ? Optional.empty() : Optional.ofNullable(known.job);
  }

  /** Returns whether the attempt has or had a job. */
  synchronized boolean launched(AttemptId id) {
    Tracked known = tracked.get(id);
    return known != null && known.uid > 0;
  }

  /** Records that a submission begins. The response may be lost. */
  synchronized void submitting(AttemptId id) {
    long now = nanos.getAsLong();
    of(id).unansweredSince = now == 0 ? 1 : now;
  }

  /** Records that the submission was refused. */
  synchronized void refused(AttemptId id) {
    of(id).unansweredSince = 0;
  }

  /** Time of the submission without an answer, 0 for none. */
  synchronized long unansweredSince(AttemptId id) {
    Tracked known = tracked.get(id);
    return known == null ? 0 : known.unansweredSince;
  }

  /** Records the number of the submitted job. */
  synchronized void submitted(Attempt attempt, long job) {
    recognise(attempt);
    Tracked known = of(attempt.id());
    known.has(job);
    known.unansweredSince = 0;
  }

  /** Records that Fairlead has cancelled the job. */
  synchronized void ordered(AttemptId id) {
    Tracked known = of(id);
    known.ordered = true;
    show(known);
  }

  /**
   * Takes the jobs of a reading.
   *
   * @return jobs to cancel: jobs that duplicate the job of their attempt, and jobs with a late
   *     submission whose attempts no longer get a job
   */
  synchronized List<SlurmJob> take(SlurmView view) {
    List<SlurmJob> copies = new ArrayList<>();
    forget(view);
    view.jobs()
        .forEach((id, jobs) -> {
          if (closed.containsKey(id)) {
            jobs.stream().filter(job -> !job.over()).forEach(copies::add);
            return;
          }
          Tracked known = of(id);
          SlurmJob own =
              jobs.stream()
                  .filter(job -> job.id() == known.uid)
                  .findFirst()
                  .orElse(jobs.getFirst());
          jobs.stream().filter(job -> job.id() != own.id() && !job.over()).forEach(copies::add);
          known.has(own.id());
          known.job = own;
          known.unansweredSince = 0;
          show(known);
        });
    return copies;
  }

  /** Forgets attempts without jobs that were closed long ago. */
  private void forget(SlurmView view) {
    long now = nanos.getAsLong();
    closed
        .entrySet()
        .removeIf(each -> {
          boolean old = now - each.getValue() > REMEMBERED.toNanos();
          boolean forgotten = old && !view.jobs().containsKey(each.getKey());
          if (forgotten) {
            tracked.remove(each.getKey());
          }
          return forgotten;
        });
  }

  /**
   * Jobs that were seen or recorded, and that the reading lacks. A reading that began before a
   * submission does not show its job.
   */
  synchronized SortedMap<AttemptId, Long> missing(SlurmView view) {
    SortedMap<AttemptId, Long> missing = new TreeMap<>();
    tracked.values().stream()
        .filter(known -> known.uid > 0 && !view.jobs().containsKey(known.id))
        .filter(known -> view.startedNanos() - known.uidSince >= 0)
        .filter(known -> known.job == null || !known.job.over())
        .forEach(known -> missing.put(known.id, known.uid));
    return missing;
  }

  /** Takes the end of a job that slurmctld has forgotten. */
  synchronized void ended(AttemptId id, SlurmJob job) {
    Tracked known = tracked.get(id);
    if (known != null && known.uid == job.id()) {
      known.job = job;
      show(known);
    }
  }

  private void show(Tracked known) {
    SlurmJob job = known.job;
    if (job == null) {
      return;
    }
    ObservedWorkload now = job.observed(known.members, known.ordered);
    if (!now.equals(known.shown)) {
      known.shown = now;
      known.changed = ++revision;
    }
  }

  /** Attempts that changed since the revision. */
  synchronized WorkloadView since(long since) {
    boolean all = since <= 0 || since > revision;
    SortedMap<AttemptId, ObservedWorkload> workloads = new TreeMap<>();
    tracked.values().stream()
        .filter(known -> all ? !known.shown.empty() : known.changed > since)
        .forEach(known -> workloads.put(known.id, known.shown));
    return new WorkloadView(revision, all, workloads);
  }

  synchronized long revision() {
    return revision;
  }
}
