package dev.fairlead.verify.engine.fgd;

import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The pods of one run, in the order of their arrival. */
final class Arrivals {
  /** Requests end at this percentage of the capacity. */
  static final int LAST_PERCENT = 130;

  private Arrivals() {}

  /**
   * Fills up the list with uniformly drawn copies until the requested GPUs are 130 % of the
   * capacity, and shuffles it. A list that requests more is not cut.
   *
   * @param capacityMilli thousandths of GPUs of all nodes
   */
  static List<MemberShape> of(PodList list, long capacityMilli, long seed) {
    Random random = new Random(seed);
    List<MemberShape> pods = new ArrayList<>(list.pods());
    long milli = pods.stream().mapToLong(PodList::milli).sum();
    while (milli * 100 < capacityMilli * LAST_PERCENT) {
      MemberShape copy = list.pods().get(random.nextInt(list.pods().size()));
      pods.add(copy);
      milli += PodList.milli(copy);
    }
    Collections.shuffle(pods, random);
    return pods;
  }
}
