package dev.fairlead.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Jobs of one world that start, go on and end in an order of chance. */
final class RandomLife {
  // two GPUs each fit on one node, whichever it is
  private static final int LIVE = 4;

  private final TestWorld world;
  private final Random random;
  private final List<Attempt> live = new ArrayList<>();

  RandomLife(TestWorld world, Random random) {
    this.world = world;
    this.random = random;
  }

  /** True when the counters were right in the middle of it and nothing is held after its end. */
  boolean leavesNoDrift(int events) {
    for (int i = 0; i < events; i++) {
      if (live.isEmpty() || live.size() < LIVE && random.nextBoolean()) {
        int gpus = 1 + random.nextInt(2);
        String node = random.nextBoolean() ? "node-1" : "node-2";
        live.add(world.place(world.submit(Specs.job("life-" + i).gpus(gpus)), 0, node));
      } else {
        step();
      }
    }
    CounterSums.assertRight(world);
    live.forEach(this::end);
    assertThat(world.stores().quotas().uses(world.tenant().id())).allMatch(use -> use.used() == 0);
    CounterSums.assertRight(world);
    return true;
  }

  private void step() {
    int which = random.nextInt(live.size());
    Attempt attempt = live.get(which);
    switch (attempt.state()) {
      case PLANNED -> live.set(which, world.apply(attempt, new AttemptEvent.Launch()));
      case LAUNCHING, PULLING ->
          live.set(which, world.apply(attempt, new AttemptEvent.Progress(true)));
      default -> {
        end(attempt);
        live.remove(which);
      }
    }
  }

  private void end(Attempt attempt) {
    boolean planned = attempt.state() == AttemptState.PLANNED;
    AttemptState how =
        planned
            ? AttemptState.CANCELLED
            : random.nextBoolean() ? AttemptState.FAILED : AttemptState.LOST;
    Failure failure = Failure.of(FailureCause.NODE_FAILURE, "random", attempt.number());
    world.append(world.move(attempt, new AttemptEvent.Ended(how, failure)));
  }
}
