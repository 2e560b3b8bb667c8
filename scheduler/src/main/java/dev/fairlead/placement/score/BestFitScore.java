package dev.fairlead.placement.score;

import dev.fairlead.placement.ledger.Room;
import dev.fairlead.placement.shape.MemberShape;

/** The node with the least idle GPU, in thousandths of a device. */
public final class BestFitScore implements NodeScore {
  @Override
  public long of(Room room, MemberShape member) {
    return room.slots().idleMilli();
  }
}
