package dev.fairlead.placement.reservation;

import dev.fairlead.job.AttemptId;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.world.World;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Every live attempt; of two rows of one attempt one counts. */
public final class Holders {
  private final SortedMap<AttemptId, Holder> byId = new TreeMap<>();

  public Holders(World world, Fleet fleet) {
    SortedMap<AttemptId, World.LiveAttempt> once = new TreeMap<>();
    for (World.LiveAttempt live : world.live()) {
      once.merge(live.attempt().id(), live, Holders::newer);
    }
    once.forEach((id, live) -> byId.put(id, new Holder(live, fleet, world.asOf())));
  }

  private static World.LiveAttempt newer(World.LiveAttempt a, World.LiveAttempt b) {
    int byVersion = Long.compare(a.job().version(), b.job().version());
    int order = byVersion != 0 ? byVersion : a.toString().compareTo(b.toString());
    return order >= 0 ? a : b;
  }

  /** By id. */
  public Collection<Holder> all() {
    return byId.values();
  }

  /** Null when it has ended. */
  public @Nullable Holder of(AttemptId id) {
    return byId.get(id);
  }
}
