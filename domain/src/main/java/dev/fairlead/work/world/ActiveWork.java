package dev.fairlead.work.world;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.store.ActiveJobs;
import dev.fairlead.work.job.store.ActiveJobs.ActiveJob;
import dev.fairlead.work.job.store.ActiveJobs.NamedRun;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.ElementDependencies.Outcome;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pending jobs and live attempts of the jobs that have not ended. Results for unchanged jobs are
 * reused in the next view, so that a cycle costs little for each unchanged job.
 *
 * @param parts results for each job that has not ended
 * @param asOf time when the offers are valid
 * @param needed jobs that pending jobs depend on
 * @param runs runs of existing needed jobs
 * @param outputs names of the outputs of ended needed jobs, if they are referenced. They are final,
 *     so each is read once
 * @param elements elements of ended arrays that waiting elements need. They are final too
 * @param dead elements that must end
 */
@RecordBuilder
public record ActiveWork(
    List<ActiveJob> active,
    List<Part> parts,
    Instant asOf,
    Set<JobId> needed,
    List<NamedRun> runs,
    Map<JobId, SortedSet<String>> outputs,
    Map<JobId, List<JobElement>> elements,
    List<PendingJob> pending,
    List<World.DeadElements> dead,
    List<World.LiveAttempt> live) {
  public static final ActiveWork NONE =
      ActiveWorkBuilder.builder()
          .active(List.of())
          .parts(List.of())
          .asOf(Instant.EPOCH)
          .needed(Set.of())
          .runs(List.of())
          .outputs(Map.of())
          .elements(Map.of())
          .pending(List.of())
          .dead(List.of())
          .live(List.of())
          .build();

  /** Reads of the current view, by the ids of jobs. */
  public interface Reads {
    /** Like {@link ActiveJobs#runs}. */
    List<NamedRun> runs(Collection<JobId> ids);

    /** Like {@link OutputStore#names}. */
    SortedMap<JobId, SortedSet<String>> outputs(Collection<JobId> ids);

    /** Like {@link ActiveJobs#elements}. */
    List<JobElement> elements(Collection<JobId> ids);

    /** Reads of these stores. */
    static Reads of(ActiveJobs jobs, OutputStore outputs) {
      return new Reads() {
        @Override
        public List<NamedRun> runs(Collection<JobId> ids) {
          return jobs.runs(ids);
        }

        @Override
        public SortedMap<JobId, SortedSet<String>> outputs(Collection<JobId> ids) {
          return outputs.names(ids);
        }

        @Override
        public List<JobElement> elements(Collection<JobId> ids) {
          return jobs.elements(ids);
        }
      };
    }
  }

  /**
   * Results for one job.
   *
   * @param offers offers of an array depend on the time. For dependencies per element, all waiting
   *     elements, regardless of the limit
   * @param alone result of a waiting job without dependencies
   * @param references outputs of its dependencies that a waiting job references
   */
  record Part(
      ActiveJob of,
      List<PendingJob.Offer> offers,
      @Nullable PendingJob alone,
      List<OutputReference> references,
      List<World.LiveAttempt> live) {
    static Part of(ActiveJob active, Instant now) {
      ArrayProgress own = ElementDependencies.has(active.job()) ? active.job().array() : null;
      List<PendingJob.Offer> offers =
          own == null ? Offers.of(active, now) : Offers.all(active, own, now);
      boolean alone = !offers.isEmpty() && active.job().spec().dependsOn().isEmpty();
      List<World.LiveAttempt> live = new ArrayList<>();
      for (Attempt attempt : active.live()) {
        live.add(new World.LiveAttempt(attempt, active.job()));
      }
      return new Part(
          active,
          offers,
          alone ? Dependencies.NONE.pending(active.job(), offers, List.of()) : null,
          alone || offers.isEmpty() ? List.of() : OutputReference.all(active.job().spec()),
          List.copyOf(live));
    }

    /** Returns whether dependencies decide when the job may start. */
    boolean depends() {
      return alone == null && !offers.isEmpty();
    }

    PendingJob pending(Dependencies dependencies) {
      return alone == null ? dependencies.pending(of.job(), offers, references) : alone;
    }

    /** The array with dependencies per element, null for another job. */
    @Nullable ArrayProgress perElement() {
      return ElementDependencies.has(of.job()) ? of.job().array() : null;
    }

    /** Ids of ended dependencies with referenced outputs. */
    Stream<JobId> reported(Map<JobId, NamedRun> runs) {
      return references.isEmpty()
          ? Stream.empty()
          : of.job().spec().dependsOn().stream()
              .map(Dependency::job)
              .filter(id -> {
                NamedRun run = runs.get(id);
                return run != null
                    && run.run().ended()
                    && references.stream().anyMatch(each -> each.names(id, run.name()));
              });
    }
  }

  /** Work of one view, without results of an earlier view. */
  public static ActiveWork of(
      List<ActiveJob> stored, List<Job> imagined, Instant now, Reads reads) {
    List<ActiveJob> all = new ArrayList<>(stored);
    imagined.forEach(job -> all.add(new ActiveJob(job, List.of(), List.of())));
    return NONE.at(all, now, reads);
  }

  /** Returns the stored lists while their inputs are unchanged. */
  public ActiveWork at(List<ActiveJob> jobs, Instant now, Reads reads) {
    boolean same = jobs.equals(active) && !now.isBefore(asOf) && !retries(now);
    return same && reads.runs(needed).equals(runs) ? this : of(jobs, now, reads);
  }

  /** Returns whether an offer in back-off may start by now, which changes its position. */
  private boolean retries(Instant now) {
    for (PendingJob job : pending) {
      for (PendingJob.Offer offer : job.offers()) {
        Instant time = offer.retryAt();
        if (time != null && time.isAfter(asOf) && !time.isAfter(now)) {
          return true;
        }
      }
    }
    return false;
  }

  private ActiveWork of(List<ActiveJob> jobs, Instant now, Reads reads) {
    List<Part> all = parts(jobs, now);
    Set<JobId> needs = new LinkedHashSet<>();
    for (Part part : all) {
      if (part.depends()) {
        part.of().job().spec().dependsOn().stream().map(Dependency::job).forEach(needs::add);
      }
    }
    List<NamedRun> found = reads.runs(needs);
    Map<JobId, NamedRun> byId = new LinkedHashMap<>();
    found.forEach(run -> byId.put(run.id(), run));
    Set<JobId> needed = neededArrays(all, byId);
    Map<JobId, List<JobElement>> running = running(all, needed);
    Map<JobId, List<JobElement>> ended = ended(needed, reads);
    running.putAll(ended);
    Dependencies dependencies = new Dependencies(byId, reported(all, byId, reads), running);
    List<PendingJob> waiting = new ArrayList<>();
    List<World.DeadElements> ending = new ArrayList<>();
    List<World.LiveAttempt> attempts = new ArrayList<>();
    for (Part part : all) {
      ArrayProgress array = part.perElement();
      if (array != null) {
        Job job = part.of().job();
        Outcome split = dependencies.ofElements(job).split(part.offers(), Offers.free(array));
        split.ended().forEach(each -> ending.add(new World.DeadElements(job, each)));
        if (!split.offers().isEmpty()) {
          waiting.add(dependencies.pending(job, split, part.references()));
        }
      } else if (!part.offers().isEmpty()) {
        waiting.add(part.pending(dependencies));
      }
      attempts.addAll(part.live());
    }
    attempts.sort(Comparator.comparing(each -> each.attempt().id()));
    return ActiveWorkBuilder.builder()
        .active(jobs)
        .parts(all)
        .asOf(now)
        .needed(needs)
        .runs(found)
        .outputs(dependencies.outputs())
        .elements(ended)
        .pending(List.copyOf(waiting))
        .dead(List.copyOf(ending))
        .live(List.copyOf(attempts))
        .build();
  }

  /** Arrays that waiting elements need. */
  private static Set<JobId> neededArrays(List<Part> all, Map<JobId, NamedRun> runs) {
    Set<JobId> needs = new LinkedHashSet<>();
    for (Part part : all) {
      if (part.perElement() != null && part.depends()) {
        part.of().job().spec().dependsOn().stream()
            .filter(Dependency::perElement)
            .map(Dependency::job)
            .filter(runs::containsKey)
            .forEach(needs::add);
      }
    }
    return needs;
  }

  /** Elements of needed arrays that have not ended. Removes these arrays from the needed. */
  private static Map<JobId, List<JobElement>> running(List<Part> all, Set<JobId> needed) {
    Map<JobId, List<JobElement>> running = new LinkedHashMap<>();
    if (!needed.isEmpty()) {
      all.stream()
          .map(Part::of)
          .filter(job -> needed.remove(job.job().id()))
          .forEach(job -> running.put(job.job().id(), job.elements()));
    }
    return running;
  }

  /** Elements of arrays that ended. Reads only elements that the view before had not read. */
  private Map<JobId, List<JobElement>> ended(Set<JobId> arrays, Reads reads) {
    Map<JobId, List<JobElement>> found = new LinkedHashMap<>();
    Set<JobId> unread = new LinkedHashSet<>();
    for (JobId id : arrays) {
      List<JobElement> known = elements.get(id);
      found.put(id, known == null ? new ArrayList<>() : known);
      if (known == null) {
        unread.add(id);
      }
    }
    if (!unread.isEmpty()) {
      reads
          .elements(unread)
          .forEach(element ->
              found.computeIfAbsent(element.job(), array -> new ArrayList<>()).add(element));
    }
    return found;
  }

  /** Reads only the names that the view before had not read. */
  private Map<JobId, SortedSet<String>> reported(
      List<Part> all, Map<JobId, NamedRun> runs, Reads reads) {
    Map<JobId, SortedSet<String>> names = new LinkedHashMap<>();
    List<JobId> unread = new ArrayList<>();
    for (Part part : all) {
      part.reported(runs)
          .filter(id -> !names.containsKey(id))
          .forEach(id -> {
            SortedSet<String> known = outputs.get(id);
            names.put(id, known == null ? Collections.emptySortedSet() : known);
            if (known == null) {
              unread.add(id);
            }
          });
    }
    if (!unread.isEmpty()) {
      names.putAll(reads.outputs(unread));
    }
    return names;
  }

  /**
   * Both lists of jobs have the same order, so one pass finds unchanged jobs. A clock that was set
   * back may end a back-off.
   */
  @SuppressWarnings("ReferenceEquality") // a job that changed is another object
  private List<Part> parts(List<ActiveJob> jobs, Instant now) {
    List<Part> all = new ArrayList<>(jobs.size());
    int at = 0;
    for (ActiveJob job : jobs) {
      while (at < parts.size() && parts.get(at).of() != job && before(parts.get(at), job)) {
        at++;
      }
      Part kept = at < parts.size() && parts.get(at).of() == job ? parts.get(at) : null;
      all.add(
          kept == null || job.job().array() != null || now.isBefore(asOf)
              ? Part.of(job, now)
              : kept);
    }
    return all;
  }

  private static boolean before(Part part, ActiveJob job) {
    return part.of().job().id().compareTo(job.job().id()) < 0;
  }
}
