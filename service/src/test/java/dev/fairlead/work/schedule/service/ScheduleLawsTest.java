package dev.fairlead.work.schedule.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.ScheduleId;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.ScheduleState;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two processes submit for schedules around changes of the offset of their zones. Processes are
 * killed at any step, paused until another has their lease, and lose commits. The clock of the
 * database steps. Each instant has one job in the end, and no job early.
 *
 * <p>{@code make test-long} plays 1,000,000 instants around 100 changes, with 10,000 kills.
 */
class ScheduleLawsTest {
  private static final int CHANGES = Figure.times(4, 100);

  /** Hours around a change: 10,000 instants in the long form. */
  private static final int HOURS = Figure.asked() ? 156 : 48;

  /** Probability of a kill at each of the three steps of a decision. */
  private static final double KILLS = 0.004;

  /** Fewer than {@code MOST_CATCH_UP} instants, because a schedule misses the earlier ones. */
  private static final Duration LONGEST_STEP = Duration.ofHours(7);

  private static final List<String> CRONS =
      List.of("*/5 * * * *", "30 2 * * *", "0 * * * *", "15,45 0-3 * * *", "*/20 1 * * *");
  private static final List<String> ZONES =
      List.of(
          "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "UTC");

  /** Guards that a negative control removes. */
  private enum Without {
    NOTHING,
    /** The job, its run and the progress are separate commits. */
    ONE_TRANSACTION,
    /** The clock of the database is trusted unconditionally. */
    BELIEVED_CLOCK
  }

  /** The process is dead. Not an exception: product code must not handle it. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  /** One installation with its schedules. */
  private static final class Scene {
    private final Random random;
    private final Without without;
    private final MemoryStores stores = MemoryStores.empty(1);
    private final TestWorld world = TestWorld.in(stores);
    private final MemoryTable<String, Integer> submitted = stores.database().table();
    private final List<ConfigDocument<Schedule>> schedules = new ArrayList<>();
    private final List<ScheduleLoop> processes = new ArrayList<>();
    private Duration ahead = Duration.ZERO;
    private Instant stepped = Instant.MIN;
    private long nanos;
    private boolean faults = true;
    private boolean paused;
    private int killed;
    private int early;

    Scene(long seed, Without without) {
      this.random = new Random(seed);
      this.without = without;
    }

    private Instant truth() {
      return stores.clock().instant().minus(ahead);
    }

    private boolean strikes(double share) {
      return faults && random.nextDouble() < share;
    }

    void begin(Instant at) {
      stores.clock().set(at);
      stores
          .memberships()
          .insert(
              new TenantMember(
                  stores.ids().next(),
                  "mia",
                  new Membership(world.tenant().id(), null, Role.TENANT_MEMBER),
                  at,
                  "test",
                  0));
      for (String zone : ZONES) {
        for (String cron : CRONS) {
          add("s" + schedules.size(), cron, zone, at);
        }
      }
      processes.add(process("one"));
      processes.add(process("two"));
    }

    private void add(String name, String cron, String zone, Instant at) {
      boolean even = schedules.size() % 2 == 0;
      Schedule schedule =
          new Schedule(
              new ScheduleId(stores.ids().next()),
              name,
              world.project().name(),
              "mia",
              false,
              new Schedule.Timing(
                  cron,
                  zone,
                  even ? Schedule.RepeatedTime.ONCE : Schedule.RepeatedTime.TWICE,
                  even ? Schedule.SkippedTime.SHIFT : Schedule.SkippedTime.SKIP,
                  Duration.ofMinutes(schedules.size() % 3)),
              Schedule.CatchUp.ALL,
              Schedule.MOST_CATCH_UP,
              Schedule.Overlap.ALLOW,
              "{}");
      ConfigDocument<Schedule> document =
          stores
              .configs()
              .put(
                  new ConfigDocument<>(
                      Schedule.DOCUMENTS,
                      Schedule.document(world.project().id(), name),
                      world.tenant().id(),
                      world.project().id(),
                      schedule,
                      0));
      schedules.add(document);
      stores
          .schedules()
          .insert(
              ScheduleTimes.of(schedule.timing())
                  .planned(
                      ScheduleState.first(schedule.id(), world.tenant().id(), document.name(), at),
                      at));
    }

    private ScheduleLoop process(String holder) {
      Leases leases =
          new Leases(
              stores.leases(),
              new LeaseTimes(Duration.ofSeconds(3), Duration.ofSeconds(1), Duration.ofSeconds(2)),
              () -> nanos,
              holder + killed);
      Transactions transactions = new Faulty();
      BelievedClock clock =
          new BelievedClock(
              () -> {
                long now = stores.clock().millis();
                long looked = without == Without.BELIEVED_CLOCK ? now : truth().toEpochMilli();
                return new ClockStore.Reading(now, looked, 0, 0);
              },
              leases,
              this::truth,
              new SimpleMeterRegistry());
      ScheduleStep step =
          new ScheduleStep(
              stores.schedules(),
              stores.configs(),
              stores.tenants(),
              new ScheduleOwners(stores.memberships(), stores.tenants()),
              new Bodies(),
              stores.jobs(),
              new Submits(),
              transactions,
              new SimpleMeterRegistry());
      return new ScheduleLoop(
          leases, stores.schedules(), step, clock, stores.jobs(), new SimpleMeterRegistry());
    }

    /** Stores each job in the open transaction, by its name. */
    private final class Submits implements JobSubmits {
      @Override
      public void check(Actor actor, String project, JobSpec spec) {}

      @Override
      public JobId submit(Actor actor, String project, JobSpec spec, String key) {
        return stored(spec);
      }

      @Override
      public Prepared prepared(Actor actor, String project, JobSpec spec) {
        return () -> stored(spec);
      }

      @Override
      public Optional<JobId> submitted(Actor actor, String key) {
        return Optional.empty();
      }

      private JobId stored(JobSpec spec) {
        String instant = spec.labels().get(Schedule.INSTANT_LABEL);
        if (Long.parseLong(instant) > truth().plusSeconds(120).getEpochSecond()) {
          early++;
        }
        String key = spec.labels().get(Schedule.LABEL) + " " + instant;
        stores.database().run(() -> submitted.put(key, submitted.find(key).orElse(0) + 1));
        if (strikes(KILLS)) {
          throw new Killed();
        }
        return new JobId(stores.ids().next());
      }

      @Override
      public void cancel(Actor actor, JobId job) {}

      @Override
      public void suspend(Actor actor, JobId job, boolean back) {}
    }

    private static final class Bodies implements JobReader {
      @Override
      public JobSpec read(Actor actor, String project, String json) {
        return Specs.job("x").build();
      }

      @Override
      public Map<String, Object> shown(String json) {
        return new TreeMap<>();
      }
    }

    /** Kills, pauses and loses around each commit. */
    private final class Faulty implements Transactions {
      @Override
      public <T> T call(Supplier<T> work) {
        return stores.transactions().call(work);
      }

      @Override
      public <T> T read(Supplier<T> work) {
        return stores.transactions().read(work);
      }

      @Override
      public <T> T callFenced(HeldLease lease, Supplier<T> work) {
        if (!paused && strikes(0.002)) {
          paused = true;
          for (int i = 0; i < 8; i++) {
            nanos += Duration.ofSeconds(1).toNanos();
            other();
          }
          paused = false;
        }
        if (strikes(KILLS)) {
          throw new Killed();
        }
        if (strikes(0.005)) {
          throw new IllegalStateException("the connection is lost before the commit");
        }
        T done =
            without == Without.ONE_TRANSACTION
                ? work.get()
                : stores.transactions().callFenced(lease, work);
        if (strikes(KILLS)) {
          throw new Killed();
        }
        if (strikes(0.005)) {
          throw new IllegalStateException("the connection is lost after the commit");
        }
        return done;
      }
    }

    private void other() {
      try {
        boolean _ = processes.getLast().tick();
      } catch (IllegalStateException lost) {
        // a failed pass is repeated
      }
    }

    private void step(Duration by) {
      stepped = truth();
      ahead = ahead.plus(by);
      stores.clock().advance(by);
    }

    /**
     * One pass of a process, 0.3 seconds after the last one. A killed one is replaced by a new one.
     */
    void turn() {
      nanos += Duration.ofMillis(300).toNanos();
      int which = random.nextInt(processes.size());
      try {
        boolean _ = processes.get(which).tick();
      } catch (IllegalStateException lost) {
        // a failed pass is repeated, as by the thread of a loop
      } catch (Killed dead) {
        killed++;
        paused = false;
        processes.set(which, process("p" + which + "-"));
      }
    }

    void until(Instant end) {
      while (truth().isBefore(end)) {
        stores.clock().advance(Duration.ofSeconds(random.nextInt(1, 600)));
        boolean overdue = !ahead.isZero() && stepped.plus(LONGEST_STEP).isBefore(truth());
        if (strikes(ahead.isZero() ? 0.02 : 0.1) || overdue) {
          step(ahead.isZero() ? Duration.ofMinutes(random.nextInt(-90, 300)) : ahead.negated());
        }
        for (int i = 0; i < 5; i++) {
          turn();
        }
      }
      faults = false;
      step(ahead.negated());
      for (int i = 0; i < 1_000; i++) {
        stores.clock().advance(Duration.ofSeconds(1));
        turn();
      }
    }

    /** Looks at each instant since the begin that must have been decided by now. */
    Verdict verdict(Instant begin) {
      int lost = 0;
      int doubled = 0;
      int unsubmitted = 0;
      Instant now = stores.clock().instant();
      for (ConfigDocument<Schedule> each : schedules) {
        ScheduleTimes times = ScheduleTimes.of(each.value().timing());
        Instant due = now.minus(times.delay(each.name())).minusSeconds(60);
        Instant at = times.next(begin).orElseThrow();
        while (!at.isAfter(due)) {
          String key = each.value().name() + " " + at.getEpochSecond();
          int found = stores.database().call(() -> submitted.find(key).orElse(0));
          lost += found == 0 ? 1 : 0;
          doubled += found > 1 ? 1 : 0;
          at = times.next(at).orElseThrow();
        }
        unsubmitted +=
            (int)
                stores
                    .schedules()
                    .runs(
                        world.tenant().id(),
                        each.value().id(),
                        ScheduleRun.AFTER_ALL,
                        Integer.MAX_VALUE)
                    .stream()
                    .filter(run -> run.outcome() != ScheduleRun.Outcome.SUBMITTED)
                    .count();
      }
      int jobs = stores.database().call(() -> submitted.all().size());
      return new Verdict(jobs, killed, lost, doubled, unsubmitted, early);
    }
  }

  /**
   * Of one play.
   *
   * @param unsubmitted decisions without a job: none is expected
   * @param early jobs of instants more than two minutes ahead
   */
  private record Verdict(int jobs, int killed, int lost, int doubled, int unsubmitted, int early) {}

  /** Plays two days around a change of the offset of a zone. */
  private static Verdict played(int number, Without without) {
    ZoneId zone = ZoneId.of(ZONES.get(number % (ZONES.size() - 1)));
    Instant some = Instant.parse("2030-01-01T00:00:00Z").plus(Duration.ofDays(97L * number));
    Instant begin =
        zone.getRules().nextTransition(some).getInstant().minus(Duration.ofHours(HOURS / 2));
    Scene scene = new Scene(number, without);
    scene.begin(begin);
    scene.until(begin.plus(Duration.ofHours(HOURS)));
    return scene.verdict(begin);
  }

  private static List<Verdict> played(Without without) {
    return IntStream.range(0, CHANGES).mapToObj(number -> played(number, without)).toList();
  }

  @Test
  @Tag(Figure.TAG)
  void eachInstantHasOneJobDespiteChangesKillsAndClockSteps() {
    List<Verdict> played = played(Without.NOTHING);
    Figure.seen(
        "schedules",
        "%d instants around %d changes, with %d kills"
            .formatted(
                played.stream().mapToInt(Verdict::jobs).sum(),
                CHANGES,
                played.stream().mapToInt(Verdict::killed).sum()));
    assertThat(played)
        .allSatisfy(each ->
            assertThat(each).isEqualTo(new Verdict(each.jobs(), each.killed(), 0, 0, 0, 0)));
    assertThat(played.stream().mapToInt(Verdict::killed).sum()).isGreaterThan(CHANGES);
    assertThat(played.stream().mapToInt(Verdict::jobs).sum()).isGreaterThan(1_000 * CHANGES);
  }

  @Test
  void jobStoredSeparatelyFromItsRunIsRepeated() {
    assertThat(played(Without.ONE_TRANSACTION)).anyMatch(each -> each.doubled() > 0);
  }

  @Test
  void unconfirmedClockSubmitsNoFutureInstants() {
    assertThat(played(Without.BELIEVED_CLOCK)).anyMatch(each -> each.early() > 0);
  }
}
