package dev.fairlead.work.placement.reservation;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All live attempts. If an attempt has two rows, one of them is used. */
public final class RunningAttempts {
  private final List<RunningAttempt> byId;

  public RunningAttempts(World world, Fleet fleet) {
    List<World.LiveAttempt> sorted = new ArrayList<>(world.live());
    sorted.sort(Comparator.comparing(live -> live.attempt().id()));
    List<World.LiveAttempt> once = new ArrayList<>(sorted.size());
    for (World.LiveAttempt live : sorted) {
      if (!once.isEmpty() && once.getLast().attempt().id().equals(live.attempt().id())) {
        once.set(once.size() - 1, newer(once.getLast(), live));
      } else {
        once.add(live);
      }
    }
    byId = once.stream().map(live -> new RunningAttempt(live, fleet, world.asOf())).toList();
  }

  private static World.LiveAttempt newer(World.LiveAttempt a, World.LiveAttempt b) {
    int byVersion = Long.compare(a.job().version(), b.job().version());
    int order = byVersion != 0 ? byVersion : a.toString().compareTo(b.toString());
    return order >= 0 ? a : b;
  }

  public List<RunningAttempt> all() {
    return byId;
  }

  /** Returns null if the attempt has ended. */
  public @Nullable RunningAttempt of(AttemptId id) {
    int low = 0;
    int high = byId.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (byId.get(middle).attempt().id().compareTo(id) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < byId.size() && byId.get(low).attempt().id().equals(id) ? byId.get(low) : null;
  }
}
