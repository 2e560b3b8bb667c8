package dev.fairlead.front.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontServicePlan;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.ServiceProblem;
import dev.fairlead.front.ServiceStep;
import dev.fairlead.front.service.FrontSteps.Place;
import dev.fairlead.front.service.FrontSteps.Result;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServiceOwner;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the ModelServices of one front cluster and shows their state. Each pass compares all
 * ModelServices, and changes the selection of {@link FrontServiceTurns}. The owner of a service is
 * shown beyond the limits of the watch, so that its deletion is seen. The service stores the UID
 * and the digest of the spec of its ModelService in the transaction that applies the spec, so a
 * step that was interrupted anywhere is repeated without effect. Not thread-safe.
 */
final class FrontServices {
  private static final Logger LOG = LoggerFactory.getLogger(FrontServices.class);
  private static final Duration FIRST_RETRY = Duration.ofSeconds(4);
  private static final Duration LAST_RETRY = Duration.ofMinutes(5);

  private final FrontSteps steps;
  private final ObjectServices services;
  private final MonotonicClock clock;
  private final SortedSet<String> uids = new TreeSet<>();
  private final SortedMap<String, Trouble> troubles = new TreeMap<>();
  private final FrontServiceTurns turns;
  private @Nullable Boolean owning;

  /** The problem of the spec with that digest, and the time of the next try. */
  private record Trouble(String digest, ServiceProblem problem, long atNanos, Duration pause) {}

  /** A ModelService, the facts about it, and the due step. */
  private record Due(FrontServicePlan.Known known, ServiceStep step) {
    SeenJob seen() {
      return known.seen();
    }
  }

  /** The result of a step, and the problem of the spec, null if none. */
  private record Done(Result result, @Nullable ServiceProblem problem) {}

  FrontServices(FrontSteps steps, ObjectServices services, MonotonicClock clock) {
    this.steps = steps;
    this.services = services;
    this.clock = clock;
    this.turns = new FrontServiceTurns(clock);
  }

  /** The cluster shows a ModelService with this UID. */
  void add(String uid) {
    uids.add(uid);
  }

  /** Called after a takeover, because another process may have applied ModelServices. */
  void begin() {
    owning = null;
  }

  /**
   * Returns whether to watch the ModelServices of a cluster without mapped namespaces, because one
   * owns a service or has the finalizer.
   *
   * @param of the cluster, empty after its removal
   */
  boolean owning(Supplier<Optional<Cluster>> of) {
    Boolean known = owning;
    if (known == null) {
      known = of.get().filter(cluster -> !services.owned(cluster.name()).isEmpty()).isPresent();
      owning = known;
    }
    return known;
  }

  void forget() {
    uids.clear();
    turns.retain(uids);
    troubles.clear();
  }

  /**
   * @param mapped namespaces with a project
   * @throws FenceLost when another process supervises the cluster
   */
  void run(Place place, List<FrontNamespace> mapped) {
    FrontGateway gateway = place.gateway();
    uids.removeIf(uid -> gateway.job(uid).isEmpty());
    troubles.keySet().retainAll(uids);
    turns.retain(uids);
    if (uids.isEmpty() && !owning(() -> Optional.of(place.of()))) {
      return;
    }
    List<SeenJob> seen = uids.stream().map(gateway::job).flatMap(Optional::stream).toList();
    SortedMap<String, OwnedService> owned = services.owned(place.of().name());
    gateway.admit(owned.keySet().stream().filter(uid -> !uids.contains(uid)).toList());
    owning = !owned.isEmpty() || seen.stream().anyMatch(one -> one.held() && !one.foreign());
    SortedMap<String, FrontNamespace> namespaces = new TreeMap<>();
    mapped.forEach(one -> namespaces.put(one.namespace(), one));
    List<Due> all =
        seen.stream()
            .map(one ->
                new FrontServicePlan.Known(
                    one, owned.get(one.uid()), namespaces.get(one.namespace()), problem(one)))
            .map(known -> new Due(known, FrontServicePlan.next(known, steps.now())))
            .filter(one -> !(one.step() instanceof ServiceStep.Nothing))
            .toList();
    List<Due> due = turns.take(all, Due::seen);
    List<Done> done =
        place
            .fan()
            .each(
                FrontSteps.CALLS,
                due,
                one -> guarded(place, one),
                one -> one.result() == Result.AWAY);
    for (int i = 0; i < done.size(); i++) {
      ended(gateway, due.get(i), done.get(i));
    }
  }

  private @Nullable ServiceProblem problem(SeenJob seen) {
    Trouble trouble = troubles.get(seen.uid());
    return trouble != null
            && trouble.digest().equals(seen.digest())
            && trouble.atNanos() - clock.nanos() > 0
        ? trouble.problem()
        : null;
  }

  private void ended(FrontGateway gateway, Due due, Done done) {
    String uid = due.seen().uid();
    ServiceProblem problem = done.problem();
    if (problem != null) {
      Trouble before = troubles.get(uid);
      Duration pause =
          before != null && before.digest().equals(due.seen().digest())
              ? before.pause().multipliedBy(2)
              : FIRST_RETRY;
      Duration bounded = pause.compareTo(LAST_RETRY) < 0 ? pause : LAST_RETRY;
      troubles.put(
          uid,
          new Trouble(due.seen().digest(), problem, clock.nanos() + bounded.toNanos(), bounded));
      turns.done(uid);
    } else if (done.result() == Result.LATER || done.result() == Result.AWAY) {
      turns.failed(gateway.job(uid).orElse(due.seen()));
    } else {
      turns.done(uid);
    }
    if (due.step() instanceof ServiceStep.Apply && done.result() == Result.DONE) {
      troubles.remove(uid);
      owning = true;
    }
  }

  private Done guarded(Place place, Due due) {
    try {
      return step(place, due);
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (RuntimeException failed) {
      LOG.warn("cluster {}: {} could not be handled", place, due.seen().text(), failed);
      return new Done(Result.LATER, null);
    }
  }

  private Done step(Place place, Due due) {
    SeenJob seen = due.seen();
    return switch (due.step()) {
      case ServiceStep.Nothing nothing -> new Done(Result.DONE, null);
      case ServiceStep.Show(var status) -> new Done(show(place, seen, status), null);
      case ServiceStep.Hold hold ->
          new Done(FrontSteps.result(place, seen, place.gateway().hold(seen)), null);
      case ServiceStep.Release release -> {
        LOG.info("cluster {}: {} is released", place, seen.text());
        yield new Done(FrontSteps.result(place, seen, place.gateway().release(seen)), null);
      }
      case ServiceStep.Remove remove -> {
        OwnedService owned = Objects.requireNonNull(due.known().owned(), "it owns a service");
        Actor actor = FrontSteps.actor(place, seen.namespace(), owned.tenant(), owned.project());
        services.remove(place.lease(), actor, owned);
        LOG.info("cluster {}: {} is deleted, and its service ends", place, seen.text());
        yield new Done(Result.MORE, null);
      }
      case ServiceStep.Apply(FrontNamespace to) -> apply(place, seen, to);
    };
  }

  private static Result show(Place place, SeenJob seen, FrontStatus status) {
    FrontAnswer answer = place.gateway().show(seen, status);
    return answer instanceof FrontAnswer.Done(SeenJob now) && !now.status().equals(status)
        ? FrontSteps.notStored(place, seen)
        : FrontSteps.result(place, seen, answer);
  }

  private Done apply(Place place, SeenJob seen, FrontNamespace to) {
    FrontAnswer answer = place.gateway().read(seen.namespace(), seen.name(), seen.uid());
    if (!(answer instanceof FrontAnswer.Read(SeenJob now, FrontRequest request))) {
      return new Done(FrontSteps.result(place, seen, answer), null);
    }
    if (now.deleting() || now.foreign() || !now.digest().equals(seen.digest())) {
      return new Done(Result.LATER, null); // the watch shows it soon
    }
    Optional<Project> project = steps.project(to);
    if (project.isEmpty()) {
      return refused(FrontSubmits.PROJECT_GONE);
    }
    return switch (request) {
      case FrontRequest.Inexpressible(String field, String why) ->
          refused(new ServiceProblem("InvalidSpec", field + ": " + why, true));
      case FrontRequest.Document(String json) -> apply(place, now, to, project.get(), json);
    };
  }

  private Done apply(Place place, SeenJob seen, FrontNamespace to, Project project, String json) {
    try {
      ObjectServices.Spec spec =
          services.read(FrontSteps.actor(place, to), project, seen.ownName(), json);
      if (!seen.held()) {
        FrontAnswer held = place.gateway().hold(seen);
        if (!(held instanceof FrontAnswer.Done)) {
          return new Done(FrontSteps.result(place, seen, held), null);
        }
      }
      spec.apply(
          place.lease(),
          new ServiceOwner(place.of().name(), seen.namespace(), seen.uid(), seen.digest()));
      LOG.info("cluster {}: generation {} of {} is applied", place, seen.generation(), seen.text());
      return new Done(Result.DONE, null);
    } catch (Refusal refused) {
      return refused(FrontSubmits.serviceProblem(refused));
    }
  }

  private static Done refused(ServiceProblem problem) {
    return new Done(Result.LATER, problem);
  }
}
