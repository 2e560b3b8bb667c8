package dev.fairlead.work.job.service.submit;

import static dev.fairlead.work.job.service.submit.SubmitWrites.SUBMIT;

import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.UnknownOutcome;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.SubmitWrites.Accepted;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Submits of one job each. Concurrent submits of one caller to one project share a transaction.
 * Each is stored, refused or replayed independently, and after a conflict between them each runs
 * alone.
 */
public final class SingleSubmits {
  private static final int MOST_RACES = 10;
  private final Transactions transactions;
  private final JobStore jobs;
  private final SubmitRules rules;
  private final Idempotency idempotency;
  private final NewJobs newJobs;
  private final SubmitWrites writes;
  private final RequestCoalescer<Group, Single, Outcome> gathering =
      new RequestCoalescer<>(this::carriedOut);

  public SingleSubmits(
      Transactions transactions,
      JobStore jobs,
      SubmitRules rules,
      Idempotency idempotency,
      NewJobs newJobs,
      SubmitWrites writes) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.rules = rules;
    this.idempotency = idempotency;
    this.newJobs = newJobs;
    this.writes = writes;
  }

  /**
   * One request.
   *
   * @param fleet read at most once
   */
  public record Single(
      Actor actor,
      String project,
      FeasibilityCheck.OfFleet fleet,
      NewJob wanted,
      @Nullable RequestKey key) {
    /** Returns whether it is independent of the other writes of its transaction. */
    boolean gathers() {
      return wanted.named().isEmpty() && wanted.spec().dependsOn().isEmpty();
    }
  }

  /** Requests that differ only in their jobs. */
  private record Group(Actor actor, String project) {
    static Group of(Actor by, String project) {
      return new Group(
          new Actor(by.tenant(), by.name(), by.roles(), by.projects(), by.credential(), by.given()),
          project);
    }
  }

  private sealed interface Outcome {
    record Done(Submitted submitted) implements Outcome {}

    record Refused(Refusal refusal) implements Outcome {}

    /** The request has stored nothing, or its key has the result. */
    record Alone() implements Outcome {}

    /** The connection was lost during the commit. */
    record Perhaps(Submitted submitted, UnknownOutcome unknown) implements Outcome {}
  }

  /**
   * Like {@code JobCommands.submit}, without the warnings about the fleet.
   *
   * @throws Refusal as there
   * @throws UnknownOutcome as there
   */
  public Submitted submit(Single single, boolean validateOnly) {
    if (validateOnly || !single.gathers()) {
      return alone(single, validateOnly);
    }
    return switch (gathering.call(Group.of(single.actor(), single.project()), single)) {
      case Outcome.Done done -> done.submitted();
      case Outcome.Refused refused -> throw refused.refusal();
      case Outcome.Alone alone -> alone(single, false);
      case Outcome.Perhaps perhaps -> sought(single, perhaps.submitted(), perhaps.unknown());
    };
  }

  public int waiting(Actor actor, String project) {
    return gathering.waiting(Group.of(actor, project));
  }

  private List<Outcome> carriedOut(List<Single> singles) {
    if (singles.size() == 1) {
      return List.of(new Outcome.Done(alone(singles.getFirst(), false)));
    }
    AtomicReference<@Nullable List<Outcome>> made = new AtomicReference<>();
    FeasibilityCheck.OfFleet fleet = rules.fleet(singles.stream().map(Single::wanted).toList());
    LimitBook limits = rules.limits();
    try {
      return transactions.call(() -> {
        List<Outcome> outcomes = new Together(singles, fleet, limits).outcomes();
        made.set(outcomes);
        return outcomes;
      });
    } catch (UnknownOutcome unknown) {
      return perhaps(singles, Objects.requireNonNull(made.get()), unknown);
    } catch (Refusal | Conflict | DataIntegrityViolationException ofOne) {
      return singles.stream().<Outcome>map(single -> new Outcome.Alone()).toList();
    }
  }

  /**
   * Reads the outcome: a key waits for the end of that commit, without a key the job is read by its
   * id.
   */
  private static List<Outcome> perhaps(
      List<Single> singles, List<Outcome> made, UnknownOutcome unknown) {
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < singles.size(); i++) {
      boolean keyed = singles.get(i).key() != null;
      outcomes.add(
          switch (made.get(i)) {
            case Outcome.Done done when keyed -> new Outcome.Alone();
            case Outcome.Done done -> new Outcome.Perhaps(done.submitted(), unknown);
            case Outcome.Refused refused -> refused;
            case Outcome.Alone alone -> alone;
            case Outcome.Perhaps perhaps -> perhaps;
          });
    }
    return outcomes;
  }

  /** Several submits of a group in one transaction. */
  private final class Together {
    private final List<Single> singles;
    private final FeasibilityCheck.OfFleet fleet;
    private final LimitBook limits;
    private final Actor actor;
    private final TreeMap<Integer, Outcome> outcomes = new TreeMap<>();

    Together(List<Single> singles, FeasibilityCheck.OfFleet fleet, LimitBook limits) {
      this.singles = singles;
      this.fleet = fleet;
      this.limits = limits;
      this.actor = singles.getFirst().actor();
    }

    List<Outcome> outcomes() {
      earlier();
      List<Integer> left = new ArrayList<>();
      for (int i = 0; i < singles.size(); i++) {
        if (!outcomes.containsKey(i)) {
          left.add(i);
        }
      }
      if (!left.isEmpty()) {
        stored(left);
      }
      return List.copyOf(outcomes.values());
    }

    /** The second use of a key waits for the first. */
    private void earlier() {
      Map<RequestKey, Integer> first = new LinkedHashMap<>();
      Map<String, Integer> taken = new TreeMap<>();
      for (int i = 0; i < singles.size(); i++) {
        RequestKey key = singles.get(i).key();
        if (key != null && taken.putIfAbsent(key.key(), i) != null) {
          outcomes.put(i, new Outcome.Alone());
        } else if (key != null) {
          first.put(key, i);
        }
      }
      if (first.isEmpty()) {
        return;
      }
      List<Idempotency.KeyState> found =
          idempotency.earlierOfEach(actor, SUBMIT, List.copyOf(first.keySet()));
      List<Integer> places = List.copyOf(first.values());
      for (int i = 0; i < places.size(); i++) {
        int place = places.get(i);
        switch (found.get(i)) {
          case Idempotency.KeyState.New unknown -> {}
          case Idempotency.KeyState.Answered answered ->
              outcomes.put(place, new Outcome.Done(writes.replayed(actor, answered.reference())));
          case Idempotency.KeyState.Refused refused ->
              outcomes.put(place, new Outcome.Refused(refused.refusal()));
        }
      }
    }

    private void stored(List<Integer> left) {
      Project owner = rules.project(actor, singles.getFirst().project());
      rules.room(owner, left.size(), limits);
      List<String> warnings = rules.warnings(owner);
      NewJobs.Making making =
          newJobs.making(
              actor, owner, fleet, left.stream().map(i -> singles.get(i).wanted()).toList());
      List<Accepted> accepted = new ArrayList<>();
      SubmitWrites.Accepting accepting = writes.new Accepting(owner, false);
      Map<RequestKey, String> references = new LinkedHashMap<>();
      for (int i = 0; i < left.size(); i++) {
        Single single = singles.get(left.get(i));
        try {
          int place = left.get(i);
          Accepted one =
              accepting.accept(
                  single.actor(),
                  making.accept(i),
                  warnings,
                  submitted -> outcomes.put(place, new Outcome.Done(submitted)));
          accepted.add(one);
          if (single.key() != null) {
            references.put(single.key(), one.job().id().text());
          }
        } catch (Refusal refusal) {
          outcomes.put(left.get(i), new Outcome.Refused(refusal));
        }
      }
      if (!accepted.isEmpty()) {
        writes.store(accepted);
      }
      if (!references.isEmpty()) {
        idempotency.remember(actor, SUBMIT, references);
      }
    }
  }

  /** Submits alone. If another request takes the generated name, a new name is generated. */
  private Submitted alone(Single single, boolean validateOnly) {
    for (int tries = 1; ; tries++) {
      try {
        return found(single, validateOnly);
      } catch (Conflict raced) {
        if (raced.guard() != Conflict.Guard.NAME_TAKEN) {
          throw raced;
        }
        String name = single.wanted().spec().name();
        if (!name.isEmpty() || tries == MOST_RACES) {
          throw NewJobs.nameTaken(name);
        }
      }
    }
  }

  private Submitted found(Single single, boolean validateOnly) {
    AtomicReference<@Nullable Submitted> made = new AtomicReference<>();
    try {
      return once(single, validateOnly, made);
    } catch (UnknownOutcome unknown) {
      Submitted perhaps = made.get();
      if (single.key() != null || perhaps == null) {
        return once(single, validateOnly, made);
      }
      return sought(single, perhaps, unknown);
    }
  }

  private Submitted sought(Single single, Submitted perhaps, UnknownOutcome unknown) {
    Job made = perhaps.job();
    return transactions
        .read(() -> jobs.find(single.actor().tenant(), made.id()))
        .filter(job -> job.name().equals(made.name()) && job.user().equals(made.user()))
        .map(job -> new Submitted(job, perhaps.warnings(), false))
        .orElseThrow(() -> unknown);
  }

  private Submitted once(
      Single single, boolean validateOnly, AtomicReference<@Nullable Submitted> made) {
    Actor actor = single.actor();
    LimitBook limits = rules.limits();
    return transactions.call(() -> {
      RequestKey key = validateOnly ? null : single.key();
      Optional<String> earlier = idempotency.earlier(actor, SUBMIT, key);
      if (earlier.isPresent()) {
        return writes.replayed(actor, earlier.get());
      }
      Project owner = rules.project(actor, single.project());
      rules.room(owner, 1, limits);
      List<String> warnings = rules.warnings(owner);
      if (validateOnly) {
        Job job = newJobs.making(actor, owner, single.fleet(), List.of(single.wanted())).accept(0);
        Accepted _ = writes.new Accepting(owner, true).accept(actor, job, warnings, made::set);
      } else {
        Job job = newJobs.stored(actor, owner, single.fleet(), single.wanted());
        Accepted one = writes.new Accepting(owner, false).accept(actor, job, warnings, made::set);
        writes.store(List.of(one));
        idempotency.remember(actor, SUBMIT, key, one.job().id().text());
      }
      return Objects.requireNonNull(made.get());
    });
  }
}
