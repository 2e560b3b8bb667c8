package dev.fairlead.front.service;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatuses;
import dev.fairlead.front.FrontStep;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.service.FrontSteps.Due;
import dev.fairlead.front.service.FrontSteps.Part;
import dev.fairlead.front.service.FrontSteps.Place;
import dev.fairlead.front.service.FrontSteps.Result;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.store.JobStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adopts Jobs of a front cluster in batches. Each Job is read, recorded, held, submitted and
 * recorded again, so that a held Job always has a row through which it can be released.
 */
final class FrontTakeUps {
  private static final Logger LOG = LoggerFactory.getLogger(FrontTakeUps.class);

  /** Parallel submits. Submits of one namespace share a transaction. */
  private static final int SUBMITS = 16;

  private final FrontStore fronts;
  private final FrontSubmits submits;
  private final JobStore jobs;
  private final Transactions transactions;
  private final InstantSource clock;

  FrontTakeUps(
      FrontStore fronts,
      FrontSubmits submits,
      JobStore jobs,
      Transactions transactions,
      InstantSource clock) {
    this.fronts = fronts;
    this.submits = submits;
    this.jobs = jobs;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** A Job in progress. A field is null until its part is done. */
  private static final class Taking {
    private final Due due;
    private FrontSubmits.@Nullable Order order;
    private FrontSubmits.@Nullable Ready ready;
    private @Nullable FrontJob row;
    private @Nullable Result result;

    Taking(Due due) {
      this.due = due;
      this.row = due.known().row();
    }

    FrontSubmits.Order order() {
      return Objects.requireNonNull(order, "it is read");
    }

    FrontJob row() {
      return Objects.requireNonNull(row, "it is noted");
    }
  }

  /** Facts that are read once for all Jobs: the time, and the current project of each id. */
  private record Batch(Instant now, SortedMap<ProjectId, Project> projects) {
    Optional<Project> project(FrontNamespace of) {
      return Optional.ofNullable(projects.get(of.project()));
    }
  }

  private Batch batch(List<Due> due) {
    SortedMap<ProjectId, FrontNamespace> named = new TreeMap<>();
    for (Due one : due) {
      if (one.step() instanceof FrontStep.TakeUp(FrontNamespace to)) {
        named.put(to.project(), to);
      }
    }
    SortedMap<ProjectId, Project> projects = new TreeMap<>();
    named.forEach((id, to) -> submits.project(to).ifPresent(project -> projects.put(id, project)));
    return new Batch(jobs.now(), projects);
  }

  /** Like {@link FrontSteps#takeUp}. */
  List<Result> all(Place place, List<Due> due) {
    if (due.isEmpty()) {
      return List.of();
    }
    AtomicReference<Batch> facts = new AtomicReference<>(new Batch(Instant.MIN, new TreeMap<>()));
    Result failed =
        FrontSteps.guarded(
            place,
            due.getFirst(),
            () -> {
              facts.set(batch(due));
              return null;
            });
    return failed == null
        ? all(place, due, Objects.requireNonNull(facts.get(), "read"))
        : due.stream().map(one -> failed).toList();
  }

  private List<Result> all(Place place, List<Due> due, Batch batch) {
    List<Taking> all =
        place
            .fan()
            .each(
                FrontSteps.CALLS,
                due.stream().map(Taking::new).toList(),
                taking -> did(place, taking, () -> read(place, taking, batch)),
                taking -> taking.result == Result.AWAY);
    together(place, all, takings -> insert(place, takings, batch));
    each(place, FrontSteps.CALLS, all, taking -> hold(place, taking));
    each(place, SUBMITS, all, taking -> submit(place, taking, batch));
    together(
        place,
        all,
        takings -> {
          note(place, takings.stream().map(Taking::row).toList());
          return Result.MORE;
        });
    return all.stream().map(taking -> Objects.requireNonNull(taking.result)).toList();
  }

  private static Taking did(Place place, Taking taking, Part part) {
    taking.result = FrontSteps.guarded(place, taking.due, part);
    return taking;
  }

  private static List<Taking> going(List<Taking> all) {
    return all.stream().filter(taking -> taking.result == null).toList();
  }

  /** Runs the next part of each Job in progress. */
  private static void each(
      Place place, int parallel, List<Taking> all, Function<Taking, @Nullable Result> part) {
    List<Taking> going = going(all);
    List<Taking> done =
        place
            .fan()
            .each(
                parallel,
                going,
                taking -> did(place, taking, () -> part.apply(taking)),
                taking -> taking.result == Result.AWAY);
    going.subList(done.size(), going.size()).forEach(left -> left.result = Result.AWAY);
  }

  /** Runs the next part of all Jobs in progress in one transaction. */
  private static void together(
      Place place, List<Taking> all, Function<List<Taking>, @Nullable Result> part) {
    List<Taking> going = going(all);
    if (!going.isEmpty()) {
      Due first = going.getFirst().due;
      Result result = FrontSteps.guarded(place, first, () -> part.apply(going));
      going.forEach(taking -> taking.result = taking.result == null ? result : taking.result);
    }
  }

  private @Nullable Result read(Place place, Taking taking, Batch batch) {
    SeenJob seen = taking.due.known().seen();
    if (seen == null || !(taking.due.step() instanceof FrontStep.TakeUp(FrontNamespace to))) {
      return Result.DONE;
    }
    return switch (place.gateway().read(seen.namespace(), seen.name(), seen.uid())) {
      case FrontAnswer.Read(SeenJob now, FrontRequest request) ->
          order(place, taking, new FrontSubmits.Wish(now, to, batch.project(to)), request);
      case FrontAnswer.Done done -> Result.LATER;
      case FrontAnswer.Changed changed -> Result.LATER;
      case FrontAnswer.Gone gone -> Result.LATER;
      case FrontAnswer.Refused refused -> FrontSteps.later(place, seen.text(), refused);
      case FrontAnswer.Away away -> Result.AWAY;
    };
  }

  private @Nullable Result order(
      Place place, Taking taking, FrontSubmits.Wish wish, FrontRequest request) {
    SeenJob now = wish.seen();
    if (now.deleting() || now.suspended() || now.foreign() || now.status().finished()) {
      return Result.LATER; // the watch shows it soon
    }
    Actor actor = FrontSteps.actor(place, wish.namespace());
    return switch (request) {
      case FrontRequest.Inexpressible not -> inexpressible(place, now, not);
      case FrontRequest.Document(String json) -> {
        FrontSubmits.Order order = new FrontSubmits.Order(actor, wish, json);
        taking.order = order;
        yield switch (submits.read(order)) {
          case FrontSubmits.Never never -> inexpressible(place, now, never.what());
          case FrontSubmits.NotNow not -> waits(place, now, not);
          case FrontSubmits.Ready ready -> {
            taking.ready = ready;
            boolean first = now.workload() && !now.held() && taking.row == null;
            yield first
                ? submits.obstacle(order, ready).map(not -> waits(place, now, not)).orElse(null)
                : null;
          }
        };
      }
    };
  }

  private Result inexpressible(Place place, SeenJob now, FrontRequest.Inexpressible what) {
    return FrontSteps.show(
        place, now, FrontStatuses.inexpressible(now.status(), what, clock.instant()));
  }

  /** Reads a Job again when another process has added its row. */
  private @Nullable Result insert(Place place, List<Taking> takings, Batch batch) {
    List<FrontJob> rows = new ArrayList<>();
    for (Taking taking : takings) {
      if (taking.row == null) {
        FrontJob row = taking.order().row(place.cluster(), batch.now());
        taking.row = row;
        rows.add(row);
      }
    }
    if (!rows.isEmpty()) {
      SortedSet<String> added = transactions.callFenced(place.lease(), () -> fronts.insert(rows));
      for (Taking taking : takings) {
        if (rows.contains(taking.row()) && !added.contains(taking.due.uid())) {
          taking.result = Result.MORE;
        }
      }
    }
    return null;
  }

  private static @Nullable Result hold(Place place, Taking taking) {
    SeenJob now = taking.order().wish().seen();
    if (now.held()) {
      return null;
    }
    Result held = FrontSteps.result(place, now, place.gateway().hold(now));
    return held == Result.DONE ? null : held;
  }

  private @Nullable Result submit(Place place, Taking taking, Batch batch) {
    FrontSubmits.Ready ready = Objects.requireNonNull(taking.ready, "it is read");
    return switch (submits.submit(taking.order(), taking.row(), ready, batch.now())) {
      case FrontSubmits.Done(JobId job) -> {
        taking.row = taking.row().submitted(job);
        LOG.info("cluster {}: Job {} runs as job {}", place, taking.due.text(), job.text());
        yield null;
      }
      case FrontSubmits.NotNow not ->
          place
              .gateway()
              .job(taking.due.uid())
              .map(shown -> waits(place, shown, not))
              .orElse(Result.LATER);
    };
  }

  /**
   * Records which jobs run the Jobs. A process that took over may have removed a row without
   * knowing its job: such a job is cancelled.
   */
  void note(Place place, List<FrontJob> rows) {
    SortedSet<String> noted;
    try {
      noted = transactions.callFenced(place.lease(), () -> fronts.update(rows));
    } catch (FenceLost deposed) {
      SortedSet<String> there = new TreeSet<>();
      fronts
          .find(place.cluster(), rows.stream().map(FrontJob::uid).toList())
          .forEach(row -> there.add(row.uid()));
      cancelAllBut(place, rows, there);
      throw deposed;
    }
    cancelAllBut(place, rows, noted);
  }

  private void cancelAllBut(Place place, List<FrontJob> rows, SortedSet<String> noted) {
    for (FrontJob row : rows) {
      JobId job = row.job();
      if (job != null && !noted.contains(row.uid())) {
        submits.cancel(FrontSteps.actor(place, row), job);
      }
    }
  }

  private Result waits(Place place, SeenJob now, FrontSubmits.NotNow not) {
    Result shown =
        FrontSteps.show(
            place,
            now,
            FrontStatuses.waiting(now.status(), not.reason(), not.why(), clock.instant()));
    return shown == Result.AWAY ? Result.AWAY : Result.LATER;
  }
}
