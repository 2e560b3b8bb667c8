package dev.fairlead.work.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.slurm.SimulatedSlurm.Defect;
import dev.fairlead.work.workload.slurm.SimulatedSlurm.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes launch, stop and retire attempts on a Slurm cluster with lost and late requests.
 * Processes crash, and a replaced process still sends a launch. Each seed is one run in virtual
 * time.
 */
class SlurmFaultsTest {
  private static final int SEEDS = Figure.times(60, 2_000);
  private static final int STEPS = 400;
  private static final int ATTEMPTS = 4;
  private static final Installation INSTALLATION = new Installation(new UUID(1, 2), 1);
  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** An attempt in the database. */
  private static final class Row {
    private final LaunchOrder order;
    private boolean stops;
    private boolean ended;
    private boolean retired;

    private Row(LaunchOrder order) {
      this.order = order;
    }

    private AttemptId id() {
      return order.attempt().id();
    }

    private List<MemberKey> members() {
      return order.attempt().members().stream().map(MemberKey::of).toList();
    }
  }

  private static final class Run {
    private final SplittableRandom chance;
    private final SimulatedSlurm slurm;
    private final LaunchOrders orders;
    private final List<Row> rows = new ArrayList<>();
    private SlurmClusterGateway gateway;
    private @Nullable SlurmClusterGateway replaced;
    private long epoch = 1;
    private @Nullable String broken;
    private boolean calm;

    Run(long seed, @Nullable Defect defect) {
      chance = new SplittableRandom(seed);
      slurm = new SimulatedSlurm(chance.split(), defect);
      orders = new LaunchOrders(new SeededIds(seed), INSTALLATION, "slurm");
      gateway = process();
    }

    private SlurmClusterGateway process() {
      return new SlurmClusterGateway(
          "hall", new SlurmRest(slurm), INSTALLATION, "ml", slurm::nanos);
    }

    /** The broken invariant, empty if all hold. */
    Optional<String> play() {
      for (int step = 0; step < STEPS; step++) {
        slurm.advance(Duration.ofMillis(chance.nextInt(200, 2_000)));
        act();
        Optional<String> broken = check();
        if (broken.isPresent()) {
          return broken;
        }
      }
      calm = true;
      slurm.heal();
      for (int step = 0; step < STEPS; step++) {
        slurm.advance(INTERVAL);
        act();
      }
      return check().or(this::left);
    }

    private void act() {
      if (!calm && chance.nextInt(40) == 0) {
        replaced = gateway;
        gateway = process();
        epoch++;
      }
      if (!calm && rows.stream().filter(row -> !row.retired).count() < ATTEMPTS) {
        gateway.read();
        if (!gateway.inventory().nodes().isEmpty()) {
          rows.add(new Row(order()));
        }
      }
      SlurmClusterGateway late = replaced;
      if (late != null && chance.nextInt(3) == 0) {
        rows.stream()
            .filter(row -> !row.retired)
            .forEach(row -> late.apply(launch(LaunchOrders.under(epoch - 1, row.order))));
        replaced = null;
      }
      assertThat(gateway.claim(epoch, 1)).isEqualTo(EpochClaim.OURS);
      gateway.read();
      rows.stream().filter(row -> !row.retired).forEach(this::supervise);
      sweep();
    }

    /** Removes jobs of attempts that the database has as retired, as the sweeper does. */
    private void sweep() {
      SortedMap<AttemptId, ObservedWorkload> seen = everything();
      rows.stream()
          .filter(row -> row.retired && seen.containsKey(row.id()))
          .forEach(row -> gateway.apply(retire(row)));
    }

    private SortedMap<AttemptId, ObservedWorkload> everything() {
      return gateway.workloadsSince(0).workloads();
    }

    private static WorkloadAction retire(Row row) {
      return WorkloadAction.Retire.of(row.order.attempt(), row.order.project().namespace());
    }

    private LaunchOrder order() {
      JobSpec spec = Specs.job("program").run("true").build();
      JobSpec bare =
          spec.withRoles(
              spec.roles().stream().map(role -> role.withImage(RoleSpec.NO_IMAGE)).toList());
      return orders.order(epoch, bare, gateway.inventory().nodes(), gateway.capabilities());
    }

    private static WorkloadAction launch(LaunchOrder order) {
      return new WorkloadAction.Launch(order.attempt().id(), order);
    }

    private void supervise(Row row) {
      gateway.recognise(row.order.attempt(), row.order.job());
      ObservedWorkload seen = everything().get(row.id());
      if (seen != null && seen.members().values().stream().allMatch(Run::over)) {
        row.ended = true;
        dead(ObjectNames.attempt(row.id()));
      }
      row.stops |= !calm && chance.nextInt(60) == 0;
      String namespace = row.order.project().namespace();
      if (row.ended) {
        row.retired = gateway.apply(retire(row)) instanceof ActionOutcome.Done;
      } else if (row.stops) {
        ActionOutcome stopped =
            gateway.apply(
                new WorkloadAction.Stop(row.id(), namespace, Duration.ZERO, row.members()));
        row.ended = stopped instanceof ActionOutcome.Done done && !done.absent().isEmpty();
      } else {
        ActionOutcome _ = gateway.apply(launch(LaunchOrders.under(epoch, row.order)));
      }
    }

    /** A copy that arrived late may run until the next reading. */
    private void dead(String name) {
      boolean first = slurm.jobs(entry -> entry.name().equals(name) && entry.over()).isEmpty();
      if (first && !slurm.jobs(entry -> entry.name().equals(name) && entry.runs()).isEmpty()) {
        broken = "DEAD_IS_DEAD: " + name + " is shown as ended, and runs";
      }
    }

    private static boolean over(ObservedMember member) {
      return member.state() == MemberState.SUCCEEDED || member.state() == MemberState.FAILED;
    }

    private Optional<String> check() {
      for (Row row : rows) {
        String name = ObjectNames.attempt(row.id());
        List<Entry> running = slurm.jobs(entry -> entry.name().equals(name) && entry.runs());
        if (running.size() > 1) {
          return Optional.of("ONE_JOB: " + name + " runs twice");
        }
      }
      return Optional.ofNullable(broken);
    }

    private Optional<String> left() {
      List<Entry> left = slurm.jobs(entry -> !entry.over());
      return left.isEmpty() && rows.stream().allMatch(row -> row.retired)
          ? Optional.empty()
          : Optional.of("NOTHING_IS_LEFT: " + left.size() + " jobs");
    }
  }

  private static Optional<String> first(@Nullable Defect defect) {
    return LongStream.range(1, SEEDS)
        .mapToObj(seed -> new Run(seed, defect).play().map(broken -> broken + ", seed " + seed))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * Fails when a fault causes an attempt to run twice, end before its job, or leave a job behind.
   */
  @Tag(Figure.TAG)
  @Test
  void noFaultLosesOrDoublesAnAttempt() {
    assertThat(first(null)).isEmpty();
  }

  /** Fails when the invariants do not detect a Slurm defect. */
  @ParameterizedTest
  @EnumSource
  void aDefectOfSlurmBreaksAnInvariant(Defect defect) {
    assertThat(first(defect))
        .hasValueSatisfying(broken ->
            assertThat(broken)
                .startsWith(
                    switch (defect) {
                      case IGNORES_SINGLETON -> "ONE_JOB";
                      case FORGETS_RUNNING_JOBS -> "DEAD_IS_DEAD";
                    }));
  }
}
