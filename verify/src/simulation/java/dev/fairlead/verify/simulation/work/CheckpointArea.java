package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Programs that save their work, report this, and are asked to save before a stop. Their calls are
 * lost, unanswered and repeated, also after the attempt has ended. A report belongs to the attempt
 * that made it and is never forgotten.
 */
public final class CheckpointArea implements Area {
  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final boolean plays;
  private final List<Desk> desks = new ArrayList<>();
  private final Map<AttemptId, Program> live = new HashMap<>();

  /** Attempts with a call under way: only they may change. */
  private final Set<AttemptId> calling = new HashSet<>();

  private final Set<AttemptId> confirmed = new HashSet<>();
  private @Nullable InvariantBroken broken;

  /** The calls that one process serves. */
  private record Desk(ProcessLife life, AttemptAnswers answers) {}

  /** The last view of an attempt, and its request for a checkpoint. */
  private static final class Program {
    private @Nullable Instant saved;
    private boolean asked;
  }

  public CheckpointArea(
      RandomGenerator chance,
      VirtualTime time,
      DurableState durable,
      JobClients clients,
      Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    boolean wanted = missing.contains(Guard.OWN_CHECKPOINT) || missing.contains(Guard.ASKED);
    this.plays = wanted || missing.isEmpty() && chance.nextInt(3) == 0;
    if (plays) {
      clients.saving();
      durable.afterAttempts(this::follow);
    }
  }

  @Override
  public List<Loop> loops(Process process) {
    if (plays) {
      MemoryStores stores = durable.stores();
      desks.removeIf(desk -> !desk.life.alive());
      desks.add(
          new Desk(
              process.life(),
              new AttemptAnswers(
                  process.transactions(),
                  jobs(),
                  new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
                  stores.progress(),
                  stores.outputs(),
                  new CheckpointLimit(Duration.ofHours(1)))));
    }
    return List.of();
  }

  /** Without the guard, the credential of an ended attempt finds the live attempt of its job. */
  private JobStore jobs() {
    JobStore stored = durable.stores().jobs();
    return missing.contains(Guard.OWN_CHECKPOINT)
        ? UnguardedStores.of(
            JobStore.class,
            (self, method, arguments) ->
                method.getName().equals("attempts") && arguments[0] instanceof Collection<?>
                    ? ((List<?>) method.invoke(stored, arguments))
                        .stream().map(row -> newest((Attempt) row)).toList()
                    : method.invoke(stored, arguments))
        : stored;
  }

  private Attempt newest(Attempt attempt) {
    return durable.stores().jobs().live().stream()
        .filter(other -> other.job().equals(attempt.job()))
        .findFirst()
        .orElse(attempt);
  }

  /** Follows one commit. */
  private void follow() {
    Set<AttemptId> now = new HashSet<>();
    for (Attempt attempt : durable.stores().jobs().live()) {
      now.add(attempt.id());
      Program program = live.get(attempt.id());
      if (program == null && attempt.state() == AttemptState.RUNNING) {
        program = begins(attempt);
      }
      if (program != null) {
        changed(program, attempt);
      }
    }
    List<AttemptId> gone = live.keySet().stream().filter(id -> !now.contains(id)).toList();
    for (Attempt attempt : durable.stores().jobs().attempts(gone)) {
      changed(Objects.requireNonNull(live.remove(attempt.id())), attempt);
    }
  }

  private @Nullable Program begins(Attempt attempt) {
    Job job = job(attempt);
    if (job.spec().preemption().checkpointTimeout() == null) {
      return null;
    }
    Program program = new Program();
    live.put(attempt.id(), program);
    later(new AttemptCredential(job.tenant(), job.id(), attempt.id()), 1);
    return program;
  }

  private Job job(Attempt attempt) {
    return durable.stores().jobs().findAll(List.of(attempt.job())).getFirst();
  }

  private void changed(Program program, Attempt attempt) {
    Instant saved = attempt.checkpointedAt();
    boolean forgotten = saved == null && confirmed.contains(attempt.id());
    if (forgotten || !Objects.equals(saved, program.saved) && !calling.contains(attempt.id())) {
      broken(Invariant.CHECKPOINT_IS_ITS_OWN, program.saved + " before " + attempt);
    }
    program.saved = saved;
    CheckpointRequest request = attempt.checkpointRequest();
    if (request != null && !program.asked) {
      program.asked = true;
      Job job = job(attempt);
      if (request.open()) {
        AttemptCredential by = new AttemptCredential(job.tenant(), job.id(), attempt.id());
        time.in(seconds(1, 40), "an asked program", () -> call(by, 0));
      }
    }
  }

  private void broken(Invariant invariant, String what) {
    broken = broken == null ? new InvariantBroken(invariant, what) : broken;
  }

  private Duration seconds(int least, int most) {
    return Duration.ofSeconds(least + chance.nextInt(most - least));
  }

  private void later(AttemptCredential by, int step) {
    time.in(seconds(30, 200), "a program", () -> call(by, step));
  }

  /**
   * The program reports its work until its credential is refused. Step 0 is the response to a
   * request.
   */
  private void call(AttemptCredential by, int step) {
    List<Desk> up = desks.stream().filter(desk -> desk.life.responds()).toList();
    boolean again = true;
    if (!up.isEmpty()) {
      AttemptAnswers answers = up.get(chance.nextInt(up.size())).answers;
      calling.add(by.attempt());
      try {
        String text = by.attempt().text();
        if (step == 0 && chance.nextInt(3) == 0) {
          Attempt _ = answers.extended(by, text, Duration.ofSeconds(30));
        } else {
          Attempt _ = answers.saved(by, text, "step " + step);
          confirmed.add(by.attempt());
        }
      } catch (Refusal refused) {
        time.say(() -> "a program: " + refused.getMessage());
        again = refused.code() != ProblemCode.NOT_FOUND;
      } catch (ProcessDied | RuntimeException unanswered) {
        time.say(() -> "a program, unanswered: " + unanswered);
      } finally {
        calling.remove(by.attempt());
      }
    }
    if (again && step > 0) {
      later(by, step + 1);
    }
  }

  @Override
  public void check() {
    if (broken != null) {
      throw broken;
    }
  }
}
