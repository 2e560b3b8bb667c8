package dev.fairlead.verify.load.replay;

import dev.fairlead.launcher.FairleadApi;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Capacity of the running service.
 *
 * @param gpus by flavor, such as {@code H100/RESERVED}
 */
record ReplayFleet(SortedMap<String, Integer> gpus) {
  static ReplayFleet of(FairleadApi api) {
    SortedMap<String, Integer> gpus = new TreeMap<>();
    api.each(
        "/capacity",
        item -> {
          String flavor =
              item.path("model").asString("") + "/" + item.path("capacityType").asString("");
          gpus.merge(flavor, item.path("total").asInt(0), Integer::sum);
        });
    gpus.values().removeIf(total -> total == 0);
    return new ReplayFleet(gpus);
  }

  int total() {
    return gpus.values().stream().mapToInt(Integer::intValue).sum();
  }
}
