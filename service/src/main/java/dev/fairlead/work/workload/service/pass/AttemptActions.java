package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.NoticeEviction;
import dev.fairlead.work.workload.judgement.WorkloadReconciler;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Share;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.attempt.JobSecrets;
import dev.fairlead.work.workload.service.attempt.Owners;
import dev.fairlead.work.workload.service.attempt.ReferencedOutputs;
import dev.fairlead.work.workload.service.attempt.ReferencedOutputs.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * Executes steps on a cluster, several in parallel, and returns their results. It writes only the
 * state of volumes.
 */
final class AttemptActions {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptActions.class);
  private static final long REPEAT_NANOS = Duration.ofSeconds(3).toNanos();
  private final AttemptRepository repository;
  private final VolumeSteps volumes;
  private final ExecutorService workers;
  private final MonotonicClock clock;
  private final PoisonAttempts poison;
  private final Duration longestCheckpoint;
  private final Map<AttemptId, Done> done = new TreeMap<>();

  /** Last logged reason of each incomplete launch. */
  private final Map<AttemptId, String> heldUp = new ConcurrentHashMap<>();

  private final Set<AttemptId> yielding = ConcurrentHashMap.newKeySet();

  /** Time until which programs were allowed to save their work. */
  private final Map<AttemptId, Instant> asked = new ConcurrentHashMap<>();

  AttemptActions(
      AttemptRepository repository,
      ExecutorService workers,
      MonotonicClock clock,
      PoisonAttempts poison,
      Duration longestCheckpoint) {
    this.poison = poison;
    this.longestCheckpoint = longestCheckpoint;
    this.repository = repository;
    this.volumes = new VolumeSteps(repository.volumes());
    this.workers = workers;
    this.clock = clock;
  }

  private record Done(Step step, long atNanos) {}

  /**
   * Returns whether the step may run now: it differs from the last step, or that was some time ago.
   * Records it as run.
   */
  boolean again(AttemptId id, Step step) {
    long now = clock.nanos();
    if (poison.rests(id, now)) {
      return false;
    }
    Done before = done.get(id);
    if (before != null
        && sameCreates(before.step(), step)
        && now - before.atNanos() < REPEAT_NANOS) {
      return false;
    }
    done.put(id, new Done(step, now));
    return true;
  }

  /**
   * Returns whether the step would create members again that were created a moment ago and that no
   * watch has shown yet.
   */
  private static boolean sameCreates(Step before, Step now) {
    return before == now || before == Step.LAUNCH && now == Step.COMPLETE_LAUNCH;
  }

  /** Orders the attempts: first those without a step yet, then by the time of their last step. */
  List<AttemptId> longestAgoFirst(Set<AttemptId> attempts) {
    return attempts.stream().sorted(Comparator.comparingLong(this::lastAt)).toList();
  }

  private long lastAt(AttemptId id) {
    Done before = done.get(id);
    return before == null ? Long.MIN_VALUE : before.atNanos();
  }

  /** Returns whether other controllers may evict its members, as last sent by this process. */
  boolean yields(AttemptId id) {
    return yielding.contains(id);
  }

  /** Returns whether this process knows of a checkpoint request with that deadline. */
  boolean asked(AttemptId id, Instant until) {
    return until.equals(asked.get(id));
  }

  /** Allows the next step of the attempt immediately. */
  void forget(AttemptId id) {
    done.remove(id);
    asked.remove(id);
    yielding.remove(id);
    heldUp.remove(id);
    poison.forget(id);
  }

  /**
   * Shared state of the steps of one pass.
   *
   * @param secrets read once for all jobs with the same secrets
   * @param outputs outputs of dependencies, read once for all elements of a job
   */
  private record Pass(
      PassView view,
      Owners owners,
      ConcurrentMap<JobSecrets.Key, JobSecrets> secrets,
      ConcurrentMap<JobId, ReferencedOutputs> outputs) {
    ClusterGateway gateway() {
      return view.gateway();
    }
  }

  List<Effect> run(PassView view, Map<AttemptId, AttemptCase> cases, Map<AttemptId, Step> due) {
    SortedMap<AttemptId, AttemptCase> acted = new TreeMap<>(cases);
    acted.keySet().retainAll(due.keySet());
    Pass pass =
        new Pass(
            view,
            repository.owners(acted.values()),
            new ConcurrentHashMap<>(),
            new ConcurrentHashMap<>());
    List<Callable<Effect>> work = new ArrayList<>();
    acted.forEach(
        (id, wanted) -> work.add(() -> guarded(pass, wanted, Objects.requireNonNull(due.get(id)))));
    List<Effect> effects = new ArrayList<>();
    try {
      for (Future<Effect> future : workers.invokeAll(work)) {
        effects.add(future.get());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException failed) {
      FatalErrors.rethrow(failed);
      throw new IllegalStateException("an action ended with an error", failed);
    }
    return effects;
  }

  private Effect guarded(Pass pass, AttemptCase wanted, Step step) {
    AttemptId id = wanted.attempt().id();
    try {
      Effect effect = effect(pass, wanted, step);
      poison.forget(id);
      return effect;
    } catch (CannotCreateTransactionException | DataAccessResourceFailureException away) {
      LOG.warn("{} of attempt {} waits for the database", step, id.text(), away);
      return new Effect.Later(wanted);
    } catch (RuntimeException | Error failed) {
      int failures = poison.blame(id, failed, clock.nanos());
      LOG.warn("{} of attempt {} failed {} times", step, id.text(), failures, failed);
      boolean launch = step == Step.LAUNCH || step == Step.COMPLETE_LAUNCH || step == Step.GROW;
      if (!launch || failures < PoisonAttempts.TRIES) {
        return new Effect.Later(wanted);
      }
      poison.forget(id); // the attempt is abandoned, and its end is handled like any other
      return new Effect.Refused(
          wanted,
          FailureCause.PLATFORM,
          "its launch failed " + failures + " times: " + failed + "; report this");
    }
  }

  private Effect effect(Pass pass, AttemptCase wanted, Step step) {
    if (step.share() != Share.START && step != Step.FORGET) {
      pass.gateway().recognise(wanted.attempt(), wanted.job());
    }
    return switch (step) {
      case LAUNCH -> launched(pass, wanted, true);
      case COMPLETE_LAUNCH -> launched(pass, wanted, false);
      case STOP -> stopped(wanted, pass.gateway().apply(stop(pass, wanted)));
      case ASK -> asked(pass, wanted);
      case GROW -> grown(pass, wanted);
      case SHRINK -> shrunk(pass, wanted);
      case DISMISS ->
          stopped(
              wanted,
              pass.gateway()
                  .apply(
                      remove(
                          pass,
                          wanted,
                          WorkloadReconciler.accompanied(
                              wanted.attempt(), pass.view().workload(wanted.attempt().id())))));
      case RETIRE -> retired(wanted, pass.gateway().apply(retire(pass, wanted)));
      case FORGET -> new Effect.Left(wanted);
      case YIELD, GUARD -> budgeted(pass, wanted, step == Step.YIELD);
    };
  }

  /** Creates new members, and protects the current number of members from eviction. */
  private Effect grown(Pass pass, AttemptCase wanted) {
    Effect effect = launched(pass, wanted, false);
    if (effect instanceof Effect.Sent) {
      guard(pass, wanted);
    }
    return effect;
  }

  private Effect shrunk(Pass pass, AttemptCase wanted) {
    guard(pass, wanted);
    List<MemberKey> leaving =
        wanted.attempt().members().stream()
            .filter(m -> m.leaves() && !m.dead())
            .map(MemberKey::of)
            .toList();
    return stopped(wanted, pass.gateway().apply(remove(pass, wanted, leaving)));
  }

  private WorkloadAction remove(Pass pass, AttemptCase wanted, List<MemberKey> members) {
    return new WorkloadAction.Remove(
        wanted.attempt().id(),
        pass.owners().project(wanted).namespace(),
        grace(pass, wanted),
        members);
  }

  /** Returns the grace period of the job, which ends before the deadline of a machine's notice. */
  private static Duration grace(Pass pass, AttemptCase wanted) {
    return NoticeEviction.grace(
        wanted.job().spec().preemption().gracePeriod(),
        NoticeEviction.deadline(wanted.attempt(), pass.view().watch().nodes()),
        pass.view().now());
  }

  /** Updates the disruption budget. After a failure, the next change of the size updates it. */
  private void guard(Pass pass, AttemptCase wanted) {
    if (!yields(wanted.attempt().id())) {
      ActionOutcome outcome = pass.gateway().apply(budget(pass, wanted, false));
      LOG.debug("the budget of {}: {}", wanted.attempt().id().text(), outcome);
    }
  }

  private WorkloadAction budget(Pass pass, AttemptCase wanted, boolean open) {
    long members = wanted.attempt().members().stream().filter(m -> !m.leaves()).count();
    return new WorkloadAction.Budget(
        wanted.attempt().id(), pass.owners().project(wanted).namespace(), open ? 0 : (int) members);
  }

  private Effect budgeted(Pass pass, AttemptCase wanted, boolean open) {
    Attempt attempt = wanted.attempt();
    ActionOutcome outcome = pass.gateway().apply(budget(pass, wanted, open));
    return switch (outcome) {
      case ActionOutcome.Done done -> noted(wanted, open);
      case ActionOutcome.Deposed deposed -> new Effect.Deposed(wanted);
      case ActionOutcome.Refused refused -> {
        LOG.warn("the disruption budget of {} remains: {}", attempt.id().text(), refused.message());
        yield noted(wanted, open);
      }
      case ActionOutcome.Unavailable away -> new Effect.Later(wanted);
    };
  }

  private static WorkloadAction ask(Pass pass, AttemptCase wanted, Instant until) {
    Attempt attempt = wanted.attempt();
    List<MemberKey> living =
        attempt.members().stream().filter(m -> !m.dead()).map(MemberKey::of).toList();
    return new WorkloadAction.Ask(
        attempt.id(), pass.owners().project(wanted).namespace(), living, until);
  }

  /** Requests a checkpoint. An attempt that cannot be reached is stopped when its time is over. */
  private Effect asked(Pass pass, AttemptCase wanted) {
    CheckpointRequest request = Objects.requireNonNull(wanted.attempt().awaitedCheckpoint());
    Instant until = request.within(longestCheckpoint).until();
    return switch (pass.gateway().apply(ask(pass, wanted, until))) {
      case ActionOutcome.Done done -> {
        asked.put(wanted.attempt().id(), request.until());
        yield new Effect.Later(wanted);
      }
      case ActionOutcome.Deposed deposed -> new Effect.Deposed(wanted);
      case ActionOutcome.Refused refused -> {
        LOG.warn(
            "attempt {} cannot be sent a checkpoint request: {}",
            wanted.attempt().id().text(),
            refused.message());
        asked.put(wanted.attempt().id(), request.until());
        yield new Effect.Later(wanted);
      }
      case ActionOutcome.Unavailable away -> new Effect.Later(wanted);
    };
  }

  private Effect noted(AttemptCase wanted, boolean open) {
    if (open) {
      yielding.add(wanted.attempt().id());
    } else {
      yielding.remove(wanted.attempt().id());
    }
    return new Effect.Sent(wanted);
  }

  /**
   * Launches members. Only its owner can restore a deleted secret, so a launch does not wait.
   *
   * @param first whether nothing was sent yet. Later the cluster has the secrets of the attempt's
   *     start
   */
  private Effect launched(Pass pass, AttemptCase wanted, boolean first) {
    Job job = wanted.job();
    ReferencedOutputs outputs =
        pass.outputs().computeIfAbsent(job.id(), none -> repository.outputs(job));
    Trouble unresolved = outputs.trouble();
    if (unresolved != null) {
      return new Effect.Refused(wanted, unresolved.cause(), unresolved.why());
    }
    Effect missing =
        volumes.missing(
            pass.view().lease(),
            pass.gateway(),
            pass.owners().project(wanted),
            wanted,
            first,
            outcome -> launched(wanted, outcome));
    if (missing != null) {
      return missing;
    }
    JobSecrets secrets =
        pass.secrets().computeIfAbsent(JobSecrets.Key.of(job), none -> repository.secrets(job));
    LaunchOrder order =
        repository.order(
            pass.view().lease(),
            wanted,
            pass.owners(),
            pass.gateway().capabilities(),
            secrets,
            outputs);
    Optional<String> trouble =
        first
            ? secrets.tooLarge().or(order::missingSecret).or(order::missingIdentity)
            : Optional.empty();
    return trouble
        .<Effect>map(why -> new Effect.Refused(wanted, FailureCause.CONFIGURATION, why))
        .orElseGet(() ->
            launched(
                wanted,
                pass.gateway().apply(new WorkloadAction.Launch(wanted.attempt().id(), order))));
  }

  private WorkloadAction stop(Pass pass, AttemptCase wanted) {
    List<MemberKey> living =
        WorkloadReconciler.toStop(wanted.attempt(), pass.view().workload(wanted.attempt().id()));
    return new WorkloadAction.Stop(
        wanted.attempt().id(),
        pass.owners().project(wanted).namespace(),
        grace(pass, wanted),
        living);
  }

  private WorkloadAction retire(Pass pass, AttemptCase wanted) {
    return WorkloadAction.Retire.of(wanted.attempt(), pass.owners().project(wanted).namespace());
  }

  private Effect launched(AttemptCase wanted, ActionOutcome outcome) {
    return switch (outcome) {
      case ActionOutcome.Done sent -> new Effect.Sent(wanted);
      case ActionOutcome.Deposed deposed -> new Effect.Deposed(wanted);
      case ActionOutcome.Unavailable(String message) -> {
        AttemptId id = wanted.attempt().id();
        if (!message.equals(heldUp.put(id, message))) {
          LOG.warn("attempt {} could not be launched yet: {}", id.text(), message);
        }
        yield new Effect.Later(wanted);
      }
      case ActionOutcome.Refused refused -> refused(wanted, refused);
    };
  }

  private static Effect refused(AttemptCase wanted, ActionOutcome.Refused refused) {
    String message = refused.message();
    return switch (refused.why()) {
      case NAME_TAKEN -> new Effect.Refused(wanted, FailureCause.PLATFORM, message);
      case PLACE_REFUSED -> new Effect.Refused(wanted, FailureCause.PLACEMENT_CONFLICT, message);
      case INVALID, UNSUPPORTED -> new Effect.Refused(wanted, FailureCause.CONFIGURATION, message);
      case DENIED -> new Effect.TurnedAway(wanted, ClusterRefusal.POLICY, message);
      case CLAIM_MISSING -> new Effect.TurnedAway(wanted, ClusterRefusal.STORAGE, message);
      case NOT_NOW -> new Effect.TurnedAway(wanted, ClusterRefusal.FOR_NOW, message);
    };
  }

  private static Effect stopped(AttemptCase wanted, ActionOutcome outcome) {
    return switch (outcome) {
      case ActionOutcome.Done sent ->
          sent.absent().isEmpty()
              ? new Effect.Later(wanted)
              : new Effect.Absent(wanted, sent.absent());
      case ActionOutcome.Deposed deposed -> new Effect.Deposed(wanted);
      case ActionOutcome.Refused refused -> {
        LOG.warn(
            "attempt {} could not be stopped: {}", wanted.attempt().id().text(), refused.message());
        yield new Effect.Later(wanted);
      }
      case ActionOutcome.Unavailable away -> new Effect.Later(wanted);
    };
  }

  private static Effect retired(AttemptCase wanted, ActionOutcome outcome) {
    return switch (outcome) {
      case ActionOutcome.Done left -> new Effect.Left(wanted);
      case ActionOutcome.Deposed deposed -> new Effect.Deposed(wanted);
      case ActionOutcome.Refused refused -> new Effect.Stays(wanted, refused.message());
      case ActionOutcome.Unavailable(String why) -> new Effect.Stays(wanted, why);
    };
  }
}
